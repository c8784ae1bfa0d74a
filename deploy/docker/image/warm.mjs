// Fills NODE_COMPILE_CACHE when an image is built: starts every program of it. No server answers, so each ends, at the
// latest by our signal, and Node writes what it compiled.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';

/** What every configuration takes for right. The ports are nobody's. */
const nowhere = {
  DATABASE_URL: 'postgres://nobody:none@127.0.0.1:9/none',
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

/** Until the program says that a server is away, or ends. */
const run = (program) =>
  new Promise((resolve) => {
    const env = { ...process.env, ...nowhere };
    const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.on('data', (line) => String(line).includes('trying again') && child.kill('SIGTERM'));
    child.once('close', resolve);
  });

const programs = ['main', 'migrate', 'keys'].map((name) => `service/src/${name}.ts`).filter(existsSync);
for (const program of [...programs, 'healthcheck.mjs']) await run(program);
const [folder] = readdirSync(process.env.NODE_COMPILE_CACHE);
const kept = folder ? readdirSync(`${process.env.NODE_COMPILE_CACHE}/${folder}`).length : 0;
if (kept < 100) throw new Error(`only ${kept} files were compiled: ${programs.join(', ')} did not start`);
