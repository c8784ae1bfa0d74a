import { afterAll, describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { counter, gauge, sampledGauges, serveMetrics } from './metrics.ts';
import { requestMeter } from './request-meter.ts';

const lines: string[] = [];
const logger = createLogger({ service: 'card', destination: { write: (line) => lines.push(line) } });

const server = await serveMetrics({ port: 0, host: '127.0.0.1', logger });
afterAll(() => server.close());

const scrape = () => fetch(`http://127.0.0.1:${server.port}/metrics`);
/** The lines of a metric, with its descriptions. */
const linesOf = async (name: string) =>
  (await (await scrape()).text()).split('\n').filter((line) => line.includes(name));

describe('/metrics', () => {
  it('is Prometheus text, with metrics of the process', async () => {
    const response = await scrape();
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const text = await response.text();
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds', 'nodejs_heap_size_used_bytes'])
      expect(text).toMatch(new RegExp(`^${name} `, 'm'));
    expect((await fetch(`http://127.0.0.1:${server.port}/readyz`)).status).toBe(404);
  });

  it('is 500 where a metric fails, and the process continues', async () => {
    gauge({ name: 'test_broken', help: 'Breaks' }, () => {
      throw new Error('broken');
    });
    expect((await scrape()).status).toBe(500);
    expect(lines.at(-1)).toContain('the metrics could not be collected');
    gauge({ name: 'test_broken', help: 'Does not' }, (one) => one.set(1));
    expect((await scrape()).status).toBe(200);
  });
});

describe('requestMeter', () => {
  it('counts requests by operation and code, and those in flight', async () => {
    const meter = requestMeter({ name: 'test_request', label: 'operation', help: 'Requests' });
    for (const [operation, code] of [
      ['read', 200],
      ['read', 200],
      ['read', 404],
      ['write', 201],
    ] as const) {
      meter.began()(operation, code, 1);
    }
    meter.began();
    expect(await linesOf('test_requests')).toEqual([
      '# HELP test_requests_total Requests: how many ended, and how',
      '# TYPE test_requests_total counter',
      'test_requests_total{operation="read",code="200"} 2',
      'test_requests_total{operation="read",code="404"} 1',
      'test_requests_total{operation="write",code="201"} 1',
      '# HELP test_requests_in_flight Requests: how many are in hand',
      '# TYPE test_requests_in_flight gauge',
      'test_requests_in_flight 1',
    ]);
    expect(await linesOf('test_requests_total{operation="write"')).toHaveLength(1);
  });

  it('puts durations into cumulative buckets', async () => {
    const meter = requestMeter({ name: 'test_timed', label: 'operation', help: 'Requests' });
    for (const milliseconds of [0.5, 0.75, 100, 6_000]) meter.began()('read', 200, milliseconds);
    const buckets = (await linesOf('test_timed_duration_seconds')).slice(2);
    expect(buckets).toEqual([
      ...[
        ['0.0005', 1],
        ['0.001', 2],
        ['0.0025', 2],
        ['0.005', 2],
        ['0.01', 2],
        ['0.025', 2],
        ['0.05', 2],
        ['0.1', 3],
        ['0.25', 3],
        ['0.5', 3],
        ['1', 3],
        ['2.5', 3],
        ['5', 3],
        ['+Inf', 4],
      ].map(([le, count]) => `test_timed_duration_seconds_bucket{operation="read",le="${le}"} ${count}`),
      'test_timed_duration_seconds_sum{operation="read"} 6.10125',
      'test_timed_duration_seconds_count{operation="read"} 4',
    ]);
  });

  it('costs far less than two microseconds a request', () => {
    const meter = requestMeter({ name: 'test_cost', label: 'operation', help: 'Requests' });
    const rounds = 200_000;
    const costs = [1, 2, 3].map(() => {
      const before = process.cpuUsage();
      for (let n = 0; n < rounds; n += 1) {
        meter.began()('read', 200, n % 20);
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / rounds;
    });
    expect(Math.min(...costs)).toBeLessThan(1);
  });
});

describe('sampledGauges', () => {
  it('queries once for simultaneous scrapes, and again only after a while', async () => {
    let asked = 0;
    sampledGauges({
      gauges: { test_rows: 'Rows', test_age_seconds: 'Age' },
      goodForMs: 60_000,
      sample: async () => {
        asked += 1;
        return [
          { name: 'test_rows', value: 7 },
          { name: 'test_age_seconds', value: 0.5 },
        ];
      },
    });
    const texts = await Promise.all([linesOf('test_rows '), linesOf('test_age_seconds '), linesOf('test_rows ')]);
    expect(texts.map((found) => found.at(-1))).toEqual(['test_rows 7', 'test_age_seconds 0.5', 'test_rows 7']);
    expect(asked).toBe(1);
  });

  it('is absent where the query fails, and does not wait longer than its limit', async () => {
    let answer: () => Promise<{ name: 'test_lag'; labels: { durable: string }; value: number }[]> = async () => [
      { name: 'test_lag', labels: { durable: 'a' }, value: 3 },
    ];
    const gauges = { test_lag: 'Lag' };
    sampledGauges({ gauges, labels: ['durable'], goodForMs: 0, waitMs: 20, sample: () => answer() });
    expect((await linesOf('test_lag{')).at(-1)).toBe('test_lag{durable="a"} 3');
    answer = () => Promise.reject(new Error('away'));
    await expect.poll(() => linesOf('test_lag{')).toEqual([]);
    answer = () => new Promise(() => {});
    expect(await linesOf('test_lag{')).toEqual([]);
  });
});

it('a counter counts by label', async () => {
  const total = counter({ name: 'test_seldom_total', help: 'Seldom', labels: ['outcome'] });
  total().inc({ outcome: 'ok' }, 2);
  expect((await linesOf('test_seldom_total{')).at(-1)).toBe('test_seldom_total{outcome="ok"} 2');
});
