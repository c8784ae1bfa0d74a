import { readFileSync } from 'node:fs';
import { descriptionOf, serviceNames } from '@cardinal/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dashboard, dashboardExpressions, type Expression, folder, ruleExpressions, rules } from './expressions.ts';
import { parsePromql } from './promql.ts';
import { toldByAll, useStack } from './running.ts';

interface KubernetesScraping {
  scrape_configs: {
    kubernetes_sd_configs: { namespaces: { names: string[] } }[];
    relabel_configs: { action?: string; regex?: string }[];
  }[];
}

/** What the scrape configurations add to each sample. */
const ofTargets = ['job', 'service', 'instance'];

/** Labels by metric: of the services, added by Prometheus, and recorded by the rules. */
let exposed: Map<string, Set<string>>;

const labelsByMetric = (samples: { name: string; labels: Record<string, string> }[]) => {
  const labels = new Map<string, Set<string>>([
    ['up', new Set(ofTargets)],
    ['ALERTS', new Set(['alertname', 'alertstate'])],
    // Of kube-state-metrics.
    ['kube_cronjob_created', new Set(['namespace', 'cronjob'])],
    ['kube_cronjob_status_last_successful_time', new Set(['namespace', 'cronjob'])],
    ...rules.flatMap(({ record, expr }): [string, Set<string>][] =>
      record === undefined ? [] : [[record, new Set(parsePromql(expr).grouped)]],
    ),
  ]);
  for (const { name, labels: own } of samples) {
    labels.set(name, new Set([...(labels.get(name) ?? ofTargets), ...Object.keys(own)]));
  }
  return labels;
};

/** Metrics and labels of an expression that nothing exposes. */
const unknownIn = ({ promql, shown }: Expression): string[] => {
  const { selected, grouped } = parsePromql(promql);
  const any = new Set(selected.flatMap(({ metric }) => [...(exposed.get(metric) ?? [])]));
  return [
    ...selected.filter(({ metric }) => !exposed.has(metric)).map(({ metric }) => metric),
    ...selected.flatMap(({ metric, labels }) =>
      labels.filter((label) => !exposed.get(metric)?.has(label)).map((label) => `${metric}{${label}}`),
    ),
    ...[...grouped, ...shown].filter((label) => !any.has(label)),
  ];
};

const all = [...ruleExpressions, ...dashboardExpressions];

beforeAll(async () => {
  await useStack();
  await toldByAll((told) => {
    exposed = labelsByMetric(told.flatMap(({ samples }) => samples));
    const missing = all.flatMap(({ promql }) =>
      parsePromql(promql).selected.filter(({ metric }) => !exposed.has(metric)),
    );
    if (missing.length > 0) throw new Error(`No service has ${missing.map(({ metric }) => metric).join(', ')}`);
  }).catch(() => {
    // The tests say which.
  });
});

describe('rules and dashboard name only metrics and labels that services have', () => {
  it.each(all)('$place: $promql', (expression) => {
    expect(unknownIn(expression)).toEqual([]);
  });

  it('and it would show', () => {
    const wrong = (promql: string, shown: string[] = []) => unknownIn({ place: 'here', promql, shown });
    expect(wrong('rate(cardinal_http_request_total[5m])')).toEqual(['cardinal_http_request_total']);
    expect(wrong('up{servce="card"}')).toEqual(['up{servce}']);
    expect(wrong('sum by (subject) (cardinal_http_requests_total)', ['durable'])).toEqual(['subject', 'durable']);
    expect(() => wrong('sum(up')).toThrow('No PromQL at');
  });
});

describe('each alert', () => {
  const alerts = rules.flatMap(({ alert }) => alert ?? []);
  const chapter = readFileSync(`${folder}/README.md`, 'utf8');

  it.each(alerts)('%s has a unit test, and says what to do', (alert) => {
    expect(readFileSync(`${folder}/alerts.test.yml`, 'utf8')).toContain(`alertname: ${alert}`);
    expect(chapter).toContain(`### ${alert}`);
  });
});

it('Prometheus finds one port of each service in the cluster', () => {
  const [scraping] = (parse(readFileSync(`${folder}/prometheus.kubernetes.yml`, 'utf8')) as KubernetesScraping)
    .scrape_configs;
  const { regex = '' } = scraping?.relabel_configs.find(({ action }) => action === 'keep') ?? {};
  // That of deploy/kubernetes/README.md.
  expect(scraping?.kubernetes_sd_configs[0]?.namespaces.names).toEqual(['cardinal']);
  for (const service of serviceNames) {
    const ports = descriptionOf(service).listeners.filter(({ name }) => new RegExp(`^(${regex})$`).test(name));
    expect(ports).toHaveLength(1);
  }
});

describe('the dashboard', () => {
  it('has every panel at a place of its own', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });
});
