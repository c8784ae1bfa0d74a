import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

/** An expression, and where somebody wrote it. */
export interface Expression {
  place: string;
  promql: string;
  /** Labels of its results that the text beside it names. */
  shown: string[];
}

/** The folder of the files that Prometheus and Grafana read. */
export const folder = fileURLToPath(new URL('..', import.meta.url));
const read = (name: string) => readFileSync(`${folder}/${name}`, 'utf8');

interface Rule {
  alert?: string;
  record?: string;
  expr: string;
  annotations?: Record<string, string>;
}

/** Every rule of `alerts.yml`. */
export const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  ({ rules }) => rules,
);

interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
}

/** What Grafana shows. */
export const dashboard = JSON.parse(read('dashboard.json')) as {
  panels: Panel[];
  annotations: { list: { expr: string }[] };
};

/** What Grafana fills in before it asks Prometheus. */
const filledIn = (expr: string) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$service', '.+');

const labelsIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, label = '']) => label);

/** Everything that Prometheus is asked by the rules and by the dashboard. */
export const ruleExpressions: Expression[] = rules.map(({ alert, record, expr, annotations = {} }) => ({
  place: alert ?? record ?? '',
  promql: expr,
  shown: labelsIn(Object.values(annotations).join(' '), /\$labels\.(\w+)/g),
}));
export const dashboardExpressions: Expression[] = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr, legendFormat }) => ({
      place: `panel "${title}"`,
      promql: filledIn(expr),
      shown: labelsIn(legendFormat, /\{\{(\w+)\}\}/g),
    })),
  ),
  ...dashboard.annotations.list.map(({ expr }) => ({ place: 'annotation', promql: expr, shown: [] })),
];
