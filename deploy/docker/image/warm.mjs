// Fills NODE_COMPILE_CACHE when an image is built: starts every program of it. No server answers, so each ends, at the
// latest by our signal, and Node writes what it compiled.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { createInterface } from 'node:readline';

/** The services of this image. */
const services = existsSync('services') ? readdirSync('services') : [];
const database = 'postgres://nobody:none@127.0.0.1:9/none';

/** Valid values for every configuration. Nothing listens at the ports. */
const nowhere = {
  DATABASE_URL: database,
  // Where all services are one process.
  ...Object.fromEntries(services.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, database])),
  NATS_URL: 'nats://127.0.0.1:9',
  PORT: '0',
  JWKS_FILE: '/tmp/jwks.json',
  TOKEN_ISSUER: 'none',
  TOKEN_AUDIENCE: 'none',
  STORAGE_URL: 'file:///tmp/files',
  URL_SECRET: '0'.repeat(32),
  WEBHOOK_KEY: '0'.repeat(32),
  CARDINAL_STATE: '/tmp/state',
  JWKS_FOLDER: '/tmp',
};
writeFileSync(nowhere.JWKS_FILE, '{"keys":[]}');

/** Until each service of the program says that a server is away, or the program ends. */
const run = (program) =>
  new Promise((resolve) => {
    const env = { ...process.env, ...nowhere };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const awaited = program.startsWith('deploy/together') ? services.length : 1;
    const waiting = new Set();
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.includes('trying again')) return;
      waiting.add(JSON.parse(line).service);
      if (waiting.size === awaited) child.kill('SIGTERM');
    });
    child.once('close', resolve);
  });

const own = ['main', 'migrate', 'keys'].map((name) => `service/src/${name}.ts`);
const migrations = services.map((name) => `services/${name}/src/migrate.ts`);
const found = [...own, ...migrations].filter(existsSync).map((path) => relative('.', realpathSync(path)));
const programs = [...new Set(found)];
for (const program of [...programs, 'healthcheck.mjs']) await run(program);
const [folder] = readdirSync(process.env.NODE_COMPILE_CACHE);
const kept = folder ? readdirSync(`${process.env.NODE_COMPILE_CACHE}/${folder}`).length : 0;
if (kept < 100) throw new Error(`only ${kept} files were compiled: ${programs.join(', ')} did not start`);
