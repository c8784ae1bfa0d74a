import { gauge } from './registry.ts';

/** A value of the gauge `name`. */
interface Sample<Name extends string> {
  name: Name;
  labels?: Record<string, string>;
  value: number;
}

interface SampledOptions<Name extends string> {
  /** What each gauge tells, by its name. */
  gauges: Record<Name, string>;
  labels?: readonly string[];
  /** Asks for their values; what it leaves out is not known. */
  sample: () => Promise<Sample<Name>[]>;
  /** How long what was found out is told to others who scrape, ms. */
  goodForMs?: number;
  /** How long a scrape waits for it, ms. */
  waitMs?: number;
}

/**
 * Gauges whose values somebody else has to be asked for, a database above all. However many scrape, they are asked for
 * once at a time, and at most once in a while; where they cannot be had, the gauges are absent, since old values would
 * look like good ones.
 */
export const sampledGauges = <Name extends string>(options: SampledOptions<Name>): void => {
  const { gauges, labels = [], sample, goodForMs = 5_000, waitMs = 1_000 } = options;
  let round: Promise<Sample<Name>[]> | undefined;

  const look = async (): Promise<Sample<Name>[]> => {
    round ??= sample()
      .catch(() => [])
      .finally(() => {
        setTimeout(() => {
          round = undefined;
        }, goodForMs).unref();
      });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Sample<Name>[]>((resolve) => {
      timer = setTimeout(() => resolve([]), waitMs);
    });
    return Promise.race([round, late]).finally(() => clearTimeout(timer));
  };

  for (const [name, help] of Object.entries(gauges) as [Name, string][]) {
    gauge({ name, help, labels }, async (one) => {
      const samples = (await look()).filter((sample) => sample.name === name);
      if (labels.length > 0) one.reset();
      // Its only value is 0 after a reset, and gone after this.
      else one.remove();
      for (const { labels = {}, value } of samples) one.set(labels, value);
    });
  }
};
