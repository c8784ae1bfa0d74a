import { generator } from './cost.ts';
import type { EventCosts } from './events/events.ts';
import type { HangingCost } from './events/hanging.ts';
import type { LogCost } from './events/long-log.ts';
import type { Leg } from './load.ts';
import { type Cost, type CountedLeg, cpuOf, type Finding } from './rounds.ts';
import type { ScaleCost } from './scale.ts';
import { systemNames } from './systems.ts';

/** Middle, smallest and largest of some figures. */
type Spread = ReturnType<typeof spreadOf>;

/** @throws RangeError where there are no figures */
export const spreadOf = (values: readonly number[]) => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length / 2;
  const median = ((sorted[Math.ceil(middle) - 1] as number) + (sorted[Math.floor(middle)] as number)) / 2;
  if (sorted.length === 0) throw new RangeError('no figures');
  return { median, min: sorted[0] as number, max: sorted.at(-1) as number };
};

const figuresOf = (legs: readonly CountedLeg[], reference: readonly CountedLeg[]) => ({
  /** CPU milliseconds a request of all processes but the load generator. */
  cpuMs: spreadOf(legs.map(cpuOf)),
  perSecond: spreadOf(legs.map((leg) => leg.perSecond)),
  p50: spreadOf(legs.map((leg) => leg.p50)),
  p99: spreadOf(legs.map((leg) => leg.p99)),
  generatorCpuMs: spreadOf(legs.map(({ cpuMs }) => cpuMs[generator] ?? 0)),
  /** Requests per second over the reference's; above 1 is faster. */
  ratio: ratios(legs, reference, (leg) => leg.perSecond),
  /** Median waiting time over the reference's; below 1 is faster. */
  p50Ratio: ratios(legs, reference, (leg) => leg.p50),
});

const ratios = (legs: readonly Leg[], others: readonly Leg[], of: (leg: Leg) => number) =>
  spreadOf(legs.map((leg, round) => of(leg) / of(others[round] as Leg)));

const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value);

/** Results in JSON with five digits of each figure, a line for each part and for each row of one. */
export const linesOf = (results: Record<string, unknown>): string => {
  const json = (value: unknown) => JSON.stringify(value, rounded);
  const parts = Object.entries(results).flatMap(([name, part]) => {
    if (part === undefined) return [];
    const rows = Array.isArray(part) && part.length > 0 ? `[\n${part.map(json).join(',\n')}\n]` : json(part);
    return [`${json(name)}: ${rows}`];
  });
  return `{\n${parts.join(',\n')}\n}\n`;
};

/** Returns how many requests of a finding failed, in all systems. */
export const countFailures = (legs: Finding['legs']): number =>
  Object.values(legs)
    .flat()
    .flatMap(({ failures }) => Object.values(failures))
    .reduce((sum, count) => sum + count, 0);

/** A finding in figures: those of each round against the same round's of the reference. */
export type Row = ReturnType<typeof rowOf>;

export const rowOf = ({ path, clients, legs, postgres }: Finding) => ({
  path,
  clients,
  together: figuresOf(legs.together, legs.reference),
  apart: figuresOf(legs.apart, legs.reference),
  reference: figuresOf(legs.reference, legs.reference),
  /** Creates per second together over those of Postgres alone. */
  postgresRatio:
    postgres.length > 0
      ? spreadOf(postgres.map((alone, round) => (legs.together[round] as Leg).perSecond / alone))
      : undefined,
  failures: countFailures(legs),
});

const spread = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)})`;
const whole = (value: number) => Math.round(value).toLocaleString('en');
const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const table = (texts: readonly string[], numbers: readonly string[], rows: readonly (string | number)[][]): string =>
  [[...texts, ...numbers], [...texts.map(() => '---'), ...numbers.map(() => '---:')], ...rows].map(line).join('\n');

export const tableOf = (rows: readonly Row[]): string => {
  const each = (what: string) => systemNames.map((name) => `${what}, ${name}`);
  const ratio = (what: string) => [`${what}, together over reference`, `${what}, apart over reference`];
  const lines = rows.map((row) => [
    row.path,
    row.clients,
    ...systemNames.map((name) => row[name].cpuMs.median.toFixed(2)),
    ...systemNames.map((name) => whole(row[name].perSecond.median)),
    ...[spread(row.together.ratio), spread(row.apart.ratio)],
    ...systemNames.map((name) => row[name].p50.median.toFixed(2)),
    ...[spread(row.together.p50Ratio), spread(row.apart.p50Ratio)],
    ...systemNames.map((name) => row[name].generatorCpuMs.median.toFixed(2)),
    row.postgresRatio ? spread(row.postgresRatio) : '',
  ]);
  const measured = [
    ...each('CPU ms'),
    ...each('requests/s'),
    ...ratio('requests/s'),
    ...each('p50 ms'),
    ...ratio('p50'),
  ];
  return table(['path'], ['clients', ...measured, ...each("generator's CPU ms"), 'over Postgres alone'], lines);
};

/** This build, each service as its own process, beside the last release. */
export const releaseTableOf = (findings: readonly Finding[]): string => {
  const lines = findings.map(({ path, clients, legs: { apart, release } }) => {
    const [now, before] = [figuresOf(apart, release), figuresOf(release, release)];
    return [
      path,
      clients,
      ...[before, now].map(({ cpuMs }) => cpuMs.median.toFixed(2)),
      ...[before, now].map(({ perSecond }) => whole(perSecond.median)),
      spread(now.ratio),
      ...[before, now].map(({ p50 }) => p50.median.toFixed(2)),
    ];
  });
  const each = (what: string) => [`${what}, release`, `${what}, this build`];
  const measured = [...each('CPU ms'), ...each('requests/s'), 'requests/s over the release', ...each('p50 ms')];
  return table(['path'], ['clients', ...measured], lines);
};

export const costTableOf = (costs: readonly Cost[]): string => {
  const names = [...new Set(costs.flatMap(({ cpuMs }) => Object.keys(cpuMs)))];
  const lines = costs.map(({ path, system, statements, cpuMs }) => {
    const times = names.map((name) => cpuMs[name]?.toFixed(3) ?? '');
    return [path, system, statements.toFixed(2), ...times];
  });
  return table(['path', 'system'], ['statements', ...names.map((name) => `${name}, CPU ms`)], lines);
};

/** Cost against that of the smallest board, as a table in Markdown. */
export const scaleTableOf = (costs: readonly ScaleCost[]): string => {
  const sizes = [...new Set(costs.map(({ cards }) => cards))];
  const costOf = (path: string, cards: number) => costs.find((one) => one.path === path && one.cards === cards);
  const names = sizes.map((cards) => `${whole(cards)} cards, CPU ms`);
  const lines = [...new Set(costs.map(({ path }) => path))].map((path) => {
    const found = sizes.map((cards) => costOf(path, cards)?.cpuMs ?? Number.NaN);
    return [path, ...found.map((ms) => ms.toFixed(3)), ((found.at(-1) ?? 0) / (found[0] ?? 0)).toFixed(2)];
  });
  return table(['path'], [...names, 'last over first'], lines);
};

/** What following costs, as tables in Markdown. */
export const eventTableOf = ({ latency, streams, backlog, pages }: EventCosts): string => {
  const figures = [
    ['from an answer to a stream, p50 ms', latency.p50.toFixed(2)],
    ['the same, p99 ms', latency.p99.toFixed(2)],
    ['from its request to a stream, p99 ms', latency.requestP99.toFixed(2)],
    ['at changes/s', whole(latency.perSecond)],
    [`${whole(streams.streams)} streams, KiB of the gateway for each, once opened`, streams.openedKiB.toFixed(1)],
    ['the same, after events', streams.servedKiB.toFixed(1)],
    ['an event over one of them, CPU ms of the gateway', streams.gatewayCpuMs.toFixed(4)],
    [`backlog of ${whole(backlog.count)} changes: into the log, changes/s`, whole(backlog.loggedPerSecond)],
    ['the same: out to a webhook, events/s', whole(backlog.sentPerSecond)],
  ];
  const { small, large } = pages;
  const lines = small.costs.map(({ path, perSecond, p50 }, at) => {
    const later = large.costs[at];
    const ratio = (later?.p50 ?? Number.NaN) / p50;
    const rates = [perSecond, later?.perSecond ?? Number.NaN].map(whole);
    return [path, ...rates, p50.toFixed(2), later?.p50.toFixed(2) ?? '', ratio.toFixed(2)];
  });
  const sizes = [small.events, large.events].map((events) => `${whole(events)} events`);
  const columns = [...sizes.map((size) => `${size}, requests/s`), ...sizes.map((size) => `${size}, p50 ms`)];
  return [table(['following'], ['measured'], figures), table(['log'], [...columns, 'last over first'], lines)].join(
    '\n\n',
  );
};

/** What a workspace waits beside hanging webhooks of others, as a table in Markdown. */
export const hangingTableOf = (costs: readonly HangingCost[]): string => {
  const phases = ['quiet', 'creates', 'during', 'after'] as const;
  const lines = costs.flatMap((cost) =>
    (['webhook', 'stream', 'read', 'create'] as const).map((what) => {
      const waits = phases.map((phase) => `${cost[phase][what].p50.toFixed(1)} / ${cost[phase][what].p99.toFixed(1)}`);
      const ratio = cost.during[what].p99 / cost.quiet[what].p99;
      return [whole(cost.webhooks), what, ...waits, ratio.toFixed(2)];
    }),
  );
  const columns = ['alone', 'beside creates', 'beside hanging webhooks', 'after it', 'p99 over alone'];
  return `${table(['hanging', 'p50 / p99 ms'], columns, lines)}\n\n${hangingCpuOf(costs)}`;
};

/** CPU milliseconds of a create beside which nothing hangs, and of one beside hanging webhooks, by name of process. */
const hangingCpuOf = (costs: readonly HangingCost[]): string => {
  const names = [...new Set(costs.flatMap(({ cpuMs }) => Object.keys(cpuMs.creates)))];
  const lines = costs.flatMap(({ webhooks, cpuMs }) =>
    (['creates', 'during'] as const).map((phase) => [
      ...[whole(phase === 'creates' ? 0 : webhooks), ...names.map((name) => (cpuMs[phase][name] ?? 0).toFixed(2))],
    ]),
  );
  return table(
    ['hanging'],
    names.map((name) => `${name}, CPU ms a create`),
    lines,
  );
};

/** What pages cost in logs of different length. */
export const logTableOf = (costs: readonly LogCost[]): string => {
  const lines = costs.map(({ path, events, perSecond, p50, p99, statement }) => [
    ...[path, whole(events), whole(perSecond), p50.toFixed(2), p99.toFixed(2), statement.toFixed(3)],
  ]);
  const columns = ['events in the log', 'requests/s', 'p50 ms', 'p99 ms', 'of it the statement, ms'];
  return table(['log'], columns, lines);
};

const width = 900;
const barHeight = 14;
const left = 190;
const text = (x: number, y: number, what: string, more = '') =>
  `<text x="${x}" y="${y}" font-size="11" font-family="system-ui, sans-serif" fill="#444" ${more}>${what}</text>`;

/** Requests per second of the systems for one number of clients, as an SVG. */
export const plotOf = (rows: readonly Row[], clients: number): string => {
  const shown = rows.filter((row) => row.clients === clients);
  const most = Math.max(
    ...shown.flatMap((row) => [row.together.perSecond.max, row.apart.perSecond.max, row.reference.perSecond.max]),
    1,
  );
  const scale = (value: number) => (value / most) * (width - left - 90);
  const group = barHeight * 3 + 14;
  const height = 46 + shown.length * group;
  const bar = ({ median, min, max }: Spread, y: number, color: string) =>
    `<rect x="${left}" y="${y}" width="${scale(median).toFixed(1)}" height="${barHeight - 2}" fill="${color}"/>` +
    `<path d="M${(left + scale(min)).toFixed(1)} ${y + 6}H${(left + scale(max)).toFixed(1)}" stroke="#222"/>` +
    text(left + scale(max) + 6, y + 10, whole(median));
  const groups = shown.map((row, index) => {
    const y = 40 + index * group;
    return (
      text(left - 8, y + barHeight * 2 - 4, row.path, 'text-anchor="end"') +
      bar(row.together.perSecond, y, '#b3263a') +
      bar(row.apart.perSecond, y + barHeight, '#e09aa4') +
      bar(row.reference.perSecond, y + barHeight * 2, '#9aa5b1')
    );
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>Requests per second with ${clients} clients</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${text(left, 20, `Requests per second, ${clients} ${clients === 1 ? 'client' : 'clients'}: Cardinal together (red) and apart (light), the reference (grey); line: smallest to largest of all rounds`)}
${groups.join('\n')}
</svg>
`;
};
