import { parser } from '@prometheus-io/lezer-promql';

/** What an expression asks of Prometheus. */
export interface Asked {
  /** Metrics that it selects, with the labels that it selects them by. */
  selected: { metric: string; labels: string[] }[];
  /** Labels by which it groups or joins. */
  grouped: string[];
}

/** Reads an expression of PromQL. @throws Error where it is none, with the place */
export const parsePromql = (expression: string): Asked => {
  const asked: Asked = { selected: [], grouped: [] };
  const text = ({ from, to }: { from: number; to: number }) => expression.slice(from, to);
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`No PromQL at ${node.from}: ${expression}`);
      if (node.name === 'VectorSelector') {
        const metric = node.node.getChild('Identifier');
        if (!metric) throw new Error(`A selector names no metric: ${expression}`);
        asked.selected.push({ metric: text(metric), labels: [] });
      }
      if (node.name !== 'LabelName') return;
      const isMatcher = node.node.parent?.name === 'UnquotedLabelMatcher';
      (isMatcher ? asked.selected.at(-1)?.labels : asked.grouped)?.push(text(node));
    },
  });
  return asked;
};
