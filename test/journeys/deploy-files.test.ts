import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { Deployment } from 'kubernetes-models/apps/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service, ServiceAccount } from 'kubernetes-models/v1';
import { parse } from 'yaml';
import { readConfig } from '../../src/config.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMPOSE_DIR = join(ROOT, 'deploy/compose');
const KUBERNETES_DIR = join(ROOT, 'deploy/kubernetes');

/** Seconds that a stopping node needs (docs/operations.md#restarts-upgrades-migrations). */
const STOP_SECONDS = 20;
/** Variables of `.env` for the other programs. */
const OTHER_VARIABLES = new Set(['POSTGRES_PASSWORD', 'GRAFANA_PASSWORD']);
const KINDS = { ConfigMap, Deployment, PodDisruptionBudget, Service, ServiceAccount };

const readText = (...path: string[]) => readFile(join(ROOT, ...path), 'utf8');

/** The variables that the gateway reads. */
const sources = await Promise.all(['src/config.ts', 'src/oidc-config.ts'].map((path) => readText(path)));
const known = new Set([...sources.join('').matchAll(/^ {2}([A-Z_]+): variable/gm)].map(([, name = '']) => name));

interface Health {
  test?: string[];
  disable?: boolean;
}

interface ComposeService {
  image: string;
  environment?: Record<string, string>;
  healthcheck?: Health;
  mem_limit?: string;
  cpus?: number;
  restart?: string;
  stop_grace_period?: string;
  ports?: string[];
  secrets?: string[];
  volumes?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
}

interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { environment: string }>;
  volumes: Record<string, unknown>;
  networks: Record<string, { internal?: boolean } | null>;
}

const composeText = await readText('deploy/compose/compose.yml');
const compose = parse(composeText, { merge: true }) as Compose;
const services = Object.entries(compose.services);

/** Returns the version of an image; undefined if it has none. */
function versionOf(image: string): string | undefined {
  return /:([\w.-]+)$/.exec(image)?.[1];
}

describe('deploy/compose', () => {
  it('each service: a fixed version, bounds, a restart policy and a health check', () => {
    for (const [name, service] of services) {
      const version = versionOf(service.image);
      assert.ok(version !== undefined && version !== 'latest', `${name}: ${service.image}`);
      assert.ok(version === 'local' || /\d+\.\d+/.test(version), `${name}: ${service.image}`);
      assert.match(service.mem_limit ?? '', /^\d+[mg]$/, name);
      assert.ok((service.cpus ?? 0) > 0, name);
      assert.ok(service.restart, name);
      const isJob = service.restart?.startsWith('on-failure');
      assert.ok(isJob || (service.healthcheck?.test?.length ?? 0) > 1, name);
    }
  });

  it('references: name services, volumes, secrets, networks and files that exist', () => {
    for (const [name, service] of services) {
      for (const other of Object.keys(service.depends_on ?? {}))
        assert.ok(compose.services[other], `${name}: ${other}`);
      for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret], `${name}: ${secret}`);
      for (const network of service.networks ?? []) assert.ok(network in compose.networks, `${name}: ${network}`);
      for (const volume of service.volumes ?? []) {
        const [source = ''] = volume.split(':');
        const exists = source.startsWith('.') ? existsSync(join(COMPOSE_DIR, source)) : source in compose.volumes;
        assert.ok(exists, `${name}: ${volume}`);
      }
      for (const port of service.ports ?? []) assert.match(port, /^127\.0\.0\.1:/, name);
    }
  });

  it('its variables: the gateway reads them, and .env.example lists them', async () => {
    const { gateway, migrate } = compose.services;
    const given = Object.keys({ ...gateway?.environment, ...migrate?.environment });
    const asked = [...composeText.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    const fromSecrets = Object.values(compose.secrets).map(({ environment }) => environment);
    const listed = [...(await readText('deploy/compose/.env.example')).matchAll(/^(\w+)=/gm)].map(
      ([, name = '']) => name,
    );
    assert.ok(given.includes('DATABASE_URL'));
    assert.deepEqual(
      [...given, ...listed].filter((name) => !known.has(name) && !OTHER_VARIABLES.has(name)),
      [],
    );
    assert.deepEqual(new Set([...asked, ...fromSecrets]), new Set(listed));
  });

  it('an empty optional variable: counts as unset', () => {
    const config = readConfig({ PUBLIC_URL: '', UPSTREAM_BASE_URL: '', UPSTREAM_APP_SECRET: '' });
    assert.deepEqual([config.publicUrl, config.upstream.baseUrl, config.upstream.appSecrets], [null, null, []]);
  });

  it('the gateway: gets the time to stop, starts after the migration', () => {
    const { gateway } = compose.services;
    assert.equal(gateway?.stop_grace_period, `${STOP_SECONDS}s`);
    assert.equal(gateway?.depends_on?.migrate?.condition, 'service_completed_successfully');
  });

  it('Prometheus: scrapes the gateway under the job name of the alerts, with the token file', async () => {
    const { scrape_configs, rule_files } = parse(await readText('deploy/compose/prometheus.yml'));
    assert.deepEqual(rule_files, ['fairway.rules.yml']);
    assert.equal(scrape_configs[0].job_name, 'fairway');
    assert.equal(scrape_configs[0].authorization.credentials_file, '/run/secrets/admin_token');
    assert.deepEqual(scrape_configs[0].static_configs, [{ targets: ['gateway:8080'] }]);
  });

  it('Grafana: finds the board and Prometheus', async () => {
    const { datasources } = parse(await readText('deploy/compose/grafana/datasource.yml'));
    const { providers } = parse(await readText('deploy/compose/grafana/boards.yml'));
    const mounts = compose.services.grafana?.volumes ?? [];
    assert.equal(datasources[0].url, 'http://prometheus:9090');
    assert.ok(mounts.includes(`../grafana:${providers[0].options.path}:ro`));
  });
});

describe('deploy/kubernetes', async () => {
  const { resources } = parse(await readText('deploy/kubernetes/kustomization.yaml')) as { resources: string[] };
  const objects = await Promise.all(
    resources.map(async (file) => parse(await readFile(join(KUBERNETES_DIR, file), 'utf8'))),
  );
  const only = (kind: string) => objects.find((object) => object.kind === kind);
  const labels = { 'app.kubernetes.io/name': 'fairway' };
  const pod = only('Deployment').spec.template.spec;
  const [gateway] = pod.containers;
  const [migrate] = pod.initContainers;

  it('each object: valid by the schema of its kind, with the label', () => {
    for (const object of objects) {
      const Kind = KINDS[object.kind as keyof typeof KINDS];
      assert.equal(Kind.apiVersion, object.apiVersion);
      new Kind(object).validate();
      assert.deepEqual(object.metadata.labels, labels);
    }
    assert.deepEqual(objects.map(({ kind }) => kind).sort(), Object.keys(KINDS).sort());
  });

  it('an object with an error: refused by the schema', () => {
    const { spec, ...rest } = only('Deployment');
    assert.throws(() => new Deployment({ ...rest, spec: { ...spec, replicas: 'two' } }).validate());
    assert.throws(() => new Deployment({ ...rest, spec: { ...spec, selector: undefined } }).validate());
  });

  it('selectors: choose the pods of the deployment, and no others', () => {
    const { spec } = only('Deployment');
    assert.deepEqual(spec.template.metadata.labels, labels);
    assert.deepEqual(spec.selector.matchLabels, labels);
    assert.deepEqual(only('PodDisruptionBudget').spec.selector.matchLabels, labels);
    assert.deepEqual(only('Service').spec.selector, labels);
    assert.deepEqual(pod.topologySpreadConstraints[0].labelSelector.matchLabels, labels);
  });

  it('its variables: the gateway reads them, from the ConfigMap and the Secret', () => {
    const names = [...Object.keys(only('ConfigMap').data), ...gateway.env.map(({ name }: { name: string }) => name)];
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    );
    for (const { name, valueFrom } of gateway.env) {
      // Only operators who use an identity provider have this secret.
      const optional = name === 'OIDC_CLIENT_SECRET' && { optional: true };
      assert.deepEqual(valueFrom.secretKeyRef, { name: 'fairway', key: name, ...optional });
    }
    assert.deepEqual([migrate.env, migrate.envFrom], [gateway.env, gateway.envFrom]);
  });

  it('two nodes: migrate before they start, and stop one after the other with enough time', () => {
    const { replicas, minReadySeconds, strategy } = only('Deployment').spec;
    assert.deepEqual([replicas, minReadySeconds, strategy.rollingUpdate.maxUnavailable], [2, 5, 0]);
    assert.equal(only('PodDisruptionBudget').spec.maxUnavailable, 1);
    assert.deepEqual(migrate.command, ['node', 'src/main.ts', 'migrate']);
    assert.equal(migrate.image, gateway.image);
    const preStop: number = gateway.lifecycle.preStop.sleep.seconds;
    assert.ok(pod.terminationGracePeriodSeconds >= preStop + STOP_SECONDS);
  });

  it('probes: readiness by /readyz every second, liveness without PostgreSQL', () => {
    assert.deepEqual(gateway.readinessProbe.httpGet.path, '/readyz');
    assert.deepEqual([gateway.readinessProbe.periodSeconds, gateway.readinessProbe.failureThreshold], [1, 1]);
    assert.equal(gateway.livenessProbe.httpGet.path, '/healthz');
    assert.equal(gateway.startupProbe.httpGet.path, '/healthz');
    assert.ok(gateway.startupProbe.periodSeconds * gateway.startupProbe.failureThreshold >= 180);
  });

  it('the ServiceMonitor: finds the Service under the job name of the alerts', async () => {
    const { spec } = parse(await readText('deploy/kubernetes/monitoring/service-monitor.yaml'));
    const service = only('Service');
    assert.deepEqual(spec.selector.matchLabels, service.metadata.labels);
    assert.equal(service.metadata.labels[spec.jobLabel], 'fairway');
    assert.equal(spec.endpoints[0].port, service.spec.ports[0].name);
    assert.equal(service.spec.ports[0].targetPort, gateway.ports[0].name);
  });

  it('kubectl kustomize: builds the same objects', async (t) => {
    const kubectl = spawn('kubectl', ['kustomize', KUBERNETES_DIR], { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [kubectl.stdout, kubectl.stderr]) stream.on('data', (chunk) => (output += chunk));
    const ended = await once(kubectl, 'close').catch((error: NodeJS.ErrnoException) => error);
    if (!Array.isArray(ended) && ended.code === 'ENOENT') return t.skip('kubectl is not installed');
    assert.deepEqual(ended, [0, null], output);
    const built = output.split(/^---$/m).map((text) => parse(text));
    const byKind = (list: { kind: string }[]) => Object.fromEntries(list.map((object) => [object.kind, object]));
    assert.deepEqual(byKind(built), byKind(objects));
  });
});
