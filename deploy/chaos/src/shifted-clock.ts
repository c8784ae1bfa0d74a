// Preloaded into a service (`--import …/shifted-clock.ts?ms=…`): shifts its clock by so many milliseconds.
const shiftMs = Number(new URL(import.meta.url).searchParams.get('ms'));
const Real = globalThis.Date;
const realNow = Real.now.bind(Real);
const now = () => realNow() + shiftMs;

Real.now = now;
globalThis.Date = new Proxy(Real, {
  apply: () => new Real(now()).toString(),
  construct: (target, values, newTarget) => Reflect.construct(target, values.length > 0 ? values : [now()], newTarget),
});
