import { execFile, execFileSync } from 'node:child_process';
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Child, freePort, startChild } from '@cardinal/servers';
import { eventually, prometheusFolders, scratchFolder, sharedStack } from '@cardinal/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { dashboardExpressions, folder, rules, withoutSections } from './expressions.ts';
import { toldByAll, useStack } from './running.ts';

const programNamed = (name: string): string | undefined =>
  prometheusFolders()
    .map((one) => join(one, name))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        // Since 3 a range begins after its start, and the figures that we expect follow from that.
        return /version ([3-9]|\d\d)\./.test(execFileSync(path, ['--version'], { encoding: 'utf8' }));
      } catch {
        return false;
      }
    });
const promtool = programNamed('promtool') ?? '';
const prometheus = programNamed('prometheus') ?? '';

/** Runs promtool in the folder of the rules. @throws Error with what it printed where it does not pass */
const check = async (args: string[], input = ''): Promise<string> => {
  const running = promisify(execFile)(promtool, args, { cwd: folder });
  running.child.stdin?.end(input);
  const { stdout, stderr } = await running.catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`promtool ${args.join(' ')}\n${error.stdout}${error.stderr}`);
  });
  return stdout + stderr;
};

describe.skipIf(promtool === '')(
  'promtool (skipped where no release from 3 on is on the PATH or in PROMETHEUS_BIN)',
  () => {
    it.each(['prometheus.yml', 'prometheus.kubernetes.yml'])('reads %s and its rules', async (name) => {
      expect(await check(['check', 'config', name])).toContain(`${rules.length} rules found`);
    });

    it('lints the rules and finds each alert to fire when it should, and only then', async () => {
      await check(['check', 'rules', '--lint=all', '--lint-fatal', 'alerts.yml']);
      const scratch = scratchFolder('rules');
      const read = (name: string) => readFileSync(join(folder, name), 'utf8');
      writeFileSync(join(scratch, 'alerts.yml'), withoutSections(read('alerts.yml')));
      writeFileSync(join(scratch, 'alerts.test.yml'), read('alerts.test.yml'));
      expect(await check(['test', 'rules', join(scratch, 'alerts.test.yml')])).toContain('SUCCESS');
    });

    it('lints the metrics of each service', async () => {
      await useStack();
      const told = await toldByAll(() => {});
      for (const { text } of told) {
        const own = text.split('\n').filter((line) => /^(# \w+ )?cardinal_/.test(line));
        expect(own.length).toBeGreaterThan(20);
        await check(['check', 'metrics'], `${own.join('\n')}\n`);
      }
    });
  },
);

describe.skipIf(prometheus === '')(
  'Prometheus (skipped where no release from 3 on is on the PATH or in PROMETHEUS_BIN)',
  () => {
    let running: Child;
    let url: string;

    /** The value of an expression now: a number, or one for each set of labels. */
    const ask = async (promql: string): Promise<{ metric: Record<string, string>; value: [number, string] }[]> => {
      const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: promql })}`);
      const { status, error, data } = (await response.json()) as {
        status: string;
        error?: string;
        data: { result: { metric: Record<string, string>; value: [number, string] }[] };
      };
      if (status !== 'success') throw new Error(`${promql}: ${error}`);
      return data.result;
    };

    beforeAll(async () => {
      const { metricsUrls } = await sharedStack();
      const scratch = scratchFolder('prometheus');
      const file = join(scratch, 'prometheus.yml');
      // Where all services are one process, it is the gateway's.
      const targets = new Map(Object.entries(metricsUrls).map(([service, at]) => [new URL(at).host, service]));
      const static_configs = Array.from(targets, ([host, service]) => ({ targets: [host], labels: { service } }));
      const scrape_configs = [{ job_name: 'cardinal', honor_labels: true, static_configs }];
      const global = { scrape_interval: '1s', evaluation_interval: '1s' };
      writeFileSync(file, stringify({ global, rule_files: [join(folder, 'alerts.yml')], scrape_configs }));
      const port = await freePort();
      url = `http://127.0.0.1:${port}`;
      running = await startChild({
        command: prometheus,
        args: [
          `--config.file=${file}`,
          `--storage.tsdb.path=${join(scratch, 'data')}`,
          `--web.listen-address=127.0.0.1:${port}`,
          '--log.level=error',
        ],
        logFile: join(scratch, 'prometheus.log'),
      });
      await eventually(async () => expect(await ask('up{job="cardinal"} == 1')).toHaveLength(targets.size));
      // Rates need two values, of which the second has more.
      await useStack();
      await eventually(
        async () => {
          await useStack();
          expect(
            Number((await ask('sum(rate(cardinal_file_check_duration_seconds_count[1m]))'))[0]?.value[1]),
          ).toBeGreaterThan(0);
          expect(await ask('cardinal:http_faults:ratio_rate5m')).toHaveLength(1);
        },
        { timeoutMs: 120_000, everyMs: 1_000 },
      );
    });
    afterAll(() => running?.stop());

    it('finds every service, each with its database', async () => {
      const waiting = await ask('ALERTS{alertname=~"CardinalServiceGone|CardinalProcessDown|CardinalDatabaseUnknown"}');
      expect(waiting.map(({ metric }) => metric)).toEqual([]);
    });

    const quietHere = [/code=~"5\.\."/, /internal\|unavailable/, /^ALERTS/];
    it.each(dashboardExpressions)('has something to show for $place: $promql', async ({ promql }) => {
      const result = await ask(promql);
      // Faults are what a stack that is well has none of.
      if (!quietHere.some((one) => one.test(promql))) expect(result.length).toBeGreaterThan(0);
    });

    it('runs every rule without an error', async () => {
      const response = await fetch(`${url}/api/v1/rules`);
      const { data } = (await response.json()) as {
        data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
      };
      const told = data.groups.flatMap((group) => group.rules);
      expect(told).toHaveLength(rules.length);
      expect(told.filter(({ health }) => health !== 'ok')).toEqual([]);
    });
  },
);
