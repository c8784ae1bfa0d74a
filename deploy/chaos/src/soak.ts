import { setTimeout as pause } from 'node:timers/promises';
import { underLoad } from './clients.ts';
import type { System } from './system.ts';

export interface SoakOptions {
  system: System;
  seed: number;
  minutes: number;
  rate: number;
  tell: (line: string) => void;
}

interface Sample {
  /** Hours since the load began. */
  at: number;
  memory: Record<string, number>;
  lagSeconds: number;
}

/** How a process's memory went in the second half of the run, and what it was in the end. */
export interface Growth {
  name: string;
  mebibytes: number;
  /** Of the line of least squares, MiB an hour. */
  slope: number;
}

const sampleEveryMs = 5_000;
const tellEveryMs = 60_000;
const mebibyte = 1024 ** 2;

/** Slope of the line of least squares through the points. */
const slopeOf = (points: readonly (readonly [x: number, y: number])[]): number => {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(points.map(([one]) => one)), mean(points.map(([, one]) => one))];
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  const below = points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
  return below === 0 ? 0 : above / below;
};

/** Works at an even load without faults, and samples memory and the outboxes' lag. */
export const soak = async ({ system, seed, minutes, rate, tell }: SoakOptions) => {
  const samples: Sample[] = [];
  let requests = 0;
  const record = () => {
    requests += 1;
  };
  await underLoad({ system, seed, rate, record }, async () => {
    const begun = performance.now();
    let told = begun;
    while (performance.now() - begun < minutes * 60_000) {
      await pause(sampleEveryMs);
      const { memory, outboxLagSeconds } = await system.gauges();
      samples.push({ at: (performance.now() - begun) / 3_600_000, memory, lagSeconds: outboxLagSeconds });
      if (performance.now() - told < tellEveryMs) continue;
      told = performance.now();
      const all = Object.values(memory).reduce((sum, bytes) => sum + bytes, 0);
      tell(`${requests} requests, ${Math.round(all / mebibyte)} MiB, outboxes ${outboxLagSeconds.toFixed(1)} s behind`);
    }
  });
  const later = samples.slice(Math.floor(samples.length / 2));
  const growth = Object.keys(samples.at(-1)?.memory ?? {}).map((name): Growth => {
    const points = later.map(({ at, memory }) => [at, (memory[name] ?? 0) / mebibyte] as const);
    return { name, mebibytes: points.at(-1)?.[1] ?? 0, slope: slopeOf(points) };
  });
  return { requests, growth, mostLagSeconds: Math.max(0, ...samples.map(({ lagSeconds }) => lagSeconds)) };
};
