import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { parse } from 'yaml';
import { useGateway } from '../harness/fixtures.ts';
import { runPromtool } from '../harness/promtool.ts';
import { createTenant, freshRecipient, sendTemplate, until, untilStatus } from '../harness/tenant.ts';
import { familiesOf, groupingOf, missingOf, parseMetrics, selectorsOf } from '../support/deploy/query-parts.ts';

const ROOT = join(import.meta.dirname, '../..');
const RULES_DIR = join(ROOT, 'deploy/prometheus');

/** Metrics of the gateway that no panel shows. */
const WITHOUT_PANEL: readonly string[] = [];

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string; legendFormat: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}

interface Board {
  schemaVersion: number;
  templating: { list: { name: string; type: string; definition?: string }[] };
  panels: Panel[];
}

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

interface RuleTest {
  alert_rule_test: { alertname: string; exp_alerts: unknown[] }[];
}

const board: Board = JSON.parse(await readFile(join(ROOT, 'deploy/grafana/fairway.json'), 'utf8'));
const queries = board.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));
const variableQueries = board.templating.list.flatMap(({ definition }) =>
  definition === undefined ? [] : [definition],
);
const ruleFile = parse(await readFile(join(RULES_DIR, 'fairway.rules.yml'), 'utf8')) as {
  groups: { rules: Rule[] }[];
};
const rules = ruleFile.groups.flatMap((group) => group.rules);

describe('the board and the alerts, against a gateway after traffic', () => {
  const gateway = useGateway();
  let text = '';

  before(async () => {
    gateway.app.metrics.includeProcess();
    const tenant = await createTenant(gateway);
    await untilStatus(gateway, tenant, await sendTemplate(gateway, tenant, freshRecipient()), 'read');
    const headers = { authorization: `Bearer ${gateway.adminToken}` };
    // Metrics of garbage collections appear with the first one.
    text = await until('a garbage collection', async () => {
      const answer = await (await fetch(`${gateway.baseUrl}/metrics`, { headers })).text();
      return answer.includes('nodejs_gc_duration_seconds_sum') ? answer : undefined;
    });
  });

  it('the board: every metric, label and value in it is on /metrics', () => {
    const exposed = parseMetrics(text);
    const missing = [...queries.map(({ expr }) => expr), ...variableQueries].flatMap((expr) =>
      missingOf(expr, exposed),
    );
    assert.deepEqual(missing, []);
  });

  it('alerts: every metric, label and value in them is on /metrics', () => {
    const exposed = parseMetrics(text);
    assert.deepEqual(
      rules.flatMap(({ expr }) => missingOf(expr, exposed)),
      [],
    );
  });

  it('a metric of the gateway: on a panel, or in the list of exceptions', () => {
    const shown = new Set(queries.flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric)));
    const hidden = familiesOf(text)
      .filter((family) => family.startsWith('fairway_'))
      .filter((family) => !['', '_bucket', '_count', '_sum'].some((suffix) => shown.has(family + suffix)));
    assert.deepEqual(hidden, WITHOUT_PANEL);
  });
});

describe('the board', () => {
  it('its sections, variables and places: complete, without overlaps', () => {
    const sections = board.panels.filter(({ type }) => type === 'row').map(({ title }) => title);
    assert.deepEqual(sections, [
      'Overview',
      'Sending',
      'Queue and fairness',
      'Windows and errors by code',
      'Numbers: pace used and allowed',
      'Webhooks in',
      'Webhooks out',
      'Requests and database',
      'Process and nodes',
    ]);
    assert.deepEqual(
      board.templating.list.map(({ name }) => name),
      ['datasource', 'job', 'instance', 'number'],
    );
    const cells = board.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    assert.equal(new Set(cells).size, cells.length);
  });

  it('a legend: names only labels that the query keeps', () => {
    const wrong = queries.flatMap(({ title, expr, legendFormat }) => {
      const kept = new Set(['instance', ...groupingOf(expr)]);
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
      return named.filter((label) => !kept.has(label)).map((label) => `${title}: ${label}`);
    });
    assert.deepEqual(wrong, []);
  });

  it('its queries: valid for promtool', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'fairway-board-'));
    t.after(() => rm(dir, { recursive: true }));
    const recorded = queries.map(({ expr }, place) => ({
      record: `board:query_${place}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    await writeFile(join(dir, 'board.yml'), JSON.stringify({ groups: [{ name: 'board', rules: recorded }] }));
    const checked = await runPromtool(t, ['check', 'rules', 'board.yml'], { cwd: dir });
    if (checked !== null) assert.equal(checked.code, 0, checked.output);
  });
});

describe('the alerts', () => {
  it('promtool check rules: no complaint', async (t) => {
    const checked = await runPromtool(t, ['check', 'rules', 'fairway.rules.yml'], { cwd: RULES_DIR });
    if (checked !== null) assert.equal(checked.code, 0, checked.output);
  });

  it('promtool test rules: each alert fires and is silent as its tests say', async (t) => {
    const tested = await runPromtool(t, ['test', 'rules', 'fairway.rules.test.yml'], { cwd: RULES_DIR });
    if (tested !== null) assert.equal(tested.code, 0, tested.output);
  });

  it('each alert: has a test in which it fires and one in which it is silent', async () => {
    const { tests } = parse(await readFile(join(RULES_DIR, 'fairway.rules.test.yml'), 'utf8')) as { tests: RuleTest[] };
    const cases = tests.flatMap((test) => test.alert_rule_test);
    const untested = rules.flatMap(({ alert }) => {
      const own = cases.filter(({ alertname }) => alertname === alert);
      const isTested = own.some((one) => one.exp_alerts.length > 0) && own.some((one) => one.exp_alerts.length === 0);
      return isTested ? [] : [alert];
    });
    assert.deepEqual(untested, []);
  });

  it('each alert: pages or opens a ticket, and has a runbook in the operations guide', async () => {
    const guide = await readFile(join(ROOT, 'docs/operations.md'), 'utf8');
    const anchors = new Set([...guide.matchAll(/^#+ (\w+)$/gm)].map(([, title = '']) => title.toLowerCase()));
    for (const { alert, labels, annotations } of rules) {
      assert.match(labels.severity, /^(page|ticket)$/, alert);
      assert.equal(annotations.runbook_url, `docs/operations.md#${alert.toLowerCase()}`);
      assert.ok(anchors.has(alert.toLowerCase()), `${alert} has no section in docs/operations.md`);
    }
  });
});
