import type { Config } from '../../config.ts';
import type { Simulator } from '../../simulator/index.ts';
import { announceLocalGateway, withdrawLocalGateway } from '../connection/local-gateway.ts';
import { inDataDir } from './data-dir.ts';
import { type Demo, setUpDemo } from './demo.ts';
import type { StartContext } from './run-until-stopped.ts';
import type { Surroundings } from './surroundings.ts';
import { upstreamWarnings } from './upstream-warnings.ts';

/**
 * Returns the text that says where the gateway is. With a simulated platform, it sets up the demo tenant first.
 * @param consoleLink address of the console behind its origin, which signs in
 */
export async function welcome(
  config: Config,
  { secrets, simulator }: Surroundings,
  { baseUrl, consoleLink, closers }: { baseUrl: string; consoleLink: () => string } & Pick<StartContext, 'closers'>,
): Promise<string> {
  if (simulator === undefined) return banner(config, baseUrl, undefined);
  simulator.world.setWebhookUrl(`${baseUrl}/webhooks/upstream`);
  const { adminToken } = secrets;
  const { dataDir } = config;
  const demo = await inDataDir(dataDir, () => setUpDemo({ baseUrl, adminToken, dataDir, simulator }));
  closers.push(() => withdrawLocalGateway(dataDir));
  await inDataDir(dataDir, () =>
    announceLocalGateway(dataDir, {
      url: baseUrl,
      api_key: demo.apiKey,
      admin_token: adminToken,
      phone_number_id: demo.phoneNumberId,
      simulator_url: simulator.origin,
    }),
  );
  return banner(config, baseUrl, { ...demo, simulator, consoleUrl: `${baseUrl}${consoleLink()}` });
}

function banner(
  config: Config,
  baseUrl: string,
  demo: (Demo & { simulator: Simulator; consoleUrl: string }) | undefined,
): string {
  const lines = [
    '',
    `Fairway is ready: ${baseUrl}`,
    `  API description  ${baseUrl}/openapi.json`,
    ...(config.adminToken === null ? [`  admin token      in ${config.dataDir}/admin-token`] : []),
  ];
  if (demo === undefined) {
    lines.push(`  upstream         ${config.upstream.baseUrl}`);
    lines.push(...upstreamWarnings(config.upstream).map((warning) => `  WARNING          ${warning}`));
  } else {
    lines.push(
      `  upstream         SIMULATED, development only: ${demo.simulator.baseUrl} (controls under /_sim)`,
      `  console          ${demo.consoleUrl} (signs in once, within an hour)`,
      `  demo API key     ${demo.apiKey}`,
      `  demo number      ${demo.phoneNumberId}`,
      '',
      'In this checkout, send a message and follow it:',
      '',
      `  npx fairway send --to ${demo.recipient} 'Hello from Fairway' --wait`,
      '  npx fairway messages watch',
    );
  }
  return `${lines.join('\n')}\n\n`;
}
