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

/** Rules without what follows from the README: the unit tests of alerts compare all annotations. */
export const withoutSections = (alerts: string): string =>
  alerts.replaceAll(/^ +(description|runbook_url): .*\n/gm, '');

/** As many sentences of an alert's section as an annotation takes. @throws Error where the README has no section */
const beginningOf = (alert: string): string => {
  const [, section] = new RegExp(`^### ${alert}\n(.+?)\n\n`, 'ms').exec(`${read('README.md')}\n\n`) ?? [];
  if (section === undefined) throw new Error(`README.md has no section ${alert}`);
  const plain = section.replaceAll('\n', ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const sentences = plain.split(/(?<=[.)])\s+(?=[A-Z`])/);
  const lengths = sentences.map((_, at) => sentences.slice(0, at + 1).join(' ').length);
  return sentences.slice(0, Math.max(1, lengths.filter((length) => length <= 300).length)).join(' ');
};

/** A string of YAML, in the quotes that need fewer signs before others. */
const quoted = (text: string) => (text.includes('"') ? `'${text.replaceAll("'", "''")}'` : `"${text}"`);

/** `alerts.yml` with the `description` and `runbook_url` of each alert. */
export const withSections = (): string => {
  let alert = '';
  return withoutSections(read('alerts.yml'))
    .split('\n')
    .flatMap((line) => {
      alert = /- alert: (\w+)/.exec(line)?.[1] ?? alert;
      const [, indent] = /^( +)summary: /.exec(line) ?? [];
      if (indent === undefined) return [line];
      return [
        line,
        `${indent}description: ${quoted(beginningOf(alert))}`,
        `${indent}runbook_url: deploy/observability/README.md#${alert.toLowerCase()}`,
      ];
    })
    .join('\n');
};

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
