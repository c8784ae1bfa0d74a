import { registerHooks } from 'node:module';

const loaded: string[] = [];
registerHooks({
  resolve(specifier, context, next) {
    loaded.push(specifier);
    return next(specifier, context);
  },
});
const { createLogger, currentContext, newContext, openSpan, runInContext, span, startTelemetry } = await import(
  '../../src/index.ts'
);
const telemetry = await startTelemetry({ service: 'test', endpoint: process.argv[2] });
const logger = createLogger({ service: 'test' });
const incoming = (flags: string) => `00-${'a'.repeat(32)}-${'b'.repeat(16)}-${flags}`;

await runInContext(newContext({ timeoutMs: 1_000 }), () =>
  span(
    'root',
    { n: 1 },
    async () => {
      await span('child', {}, () => logger.info({ traceparent: currentContext()?.traceparent }, 'in child'));
      await span('failing', {}, () => Promise.reject(new Error('no'))).catch(() => {});
    },
    'server',
  ),
);
for (const flags of ['01', '00']) {
  await runInContext(newContext({ timeoutMs: 1_000, traceparent: incoming(flags) }), () =>
    span(`incoming ${flags}`, {}, () => {}),
  );
}
const open = openSpan('opened', {});
open?.end();
const stopping = Date.now();
await telemetry.stop();
const stopMs = Date.now() - stopping;
logger.info({ stopMs, sdk: loaded.some((specifier) => /opentelemetry.*(sdk|exporter)/.test(specifier)) }, 'done');
process.exit(0);
