/** A value that a process tells of itself. */
export interface MetricSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** What a process tells of itself: its samples, and how it describes its metrics. */
export interface Scraped {
  text: string;
  samples: MetricSample[];
  /** The sum of a metric's samples that have these labels; undefined where there is none. */
  value(name: string, labels?: Record<string, string>): number | undefined;
}

const line = /^(?<name>[a-zA-Z_:][\w:]*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

const sampleOf = (text: string): MetricSample => {
  const { name = '', labels = '', value = '' } = line.exec(text)?.groups ?? {};
  if (name === '') throw new Error(`No sample: ${text}`);
  return {
    name,
    labels: Object.fromEntries([...labels.matchAll(label)].map(([, key = '', said = '']) => [key, said])),
    value: value.endsWith('Inf') ? Number(`${value}inity`) : Number(value),
  };
};

/** Reads a process's `/metrics`, in Prometheus' text format. @throws Error where it answers anything else */
export const scrape = async (url: string): Promise<Scraped> => {
  const response = await fetch(url);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${text}`);
  const samples = text
    .split('\n')
    .filter((one) => one !== '' && !one.startsWith('#'))
    .map(sampleOf);
  return {
    text,
    samples,
    value(name, labels = {}) {
      const wanted = Object.entries(labels);
      const found = samples.filter(
        (one) => one.name === name && wanted.every(([key, said]) => one.labels[key] === said),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
};
