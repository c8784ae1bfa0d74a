// Runs before every script, on whatever Node (18 or later) the machine has: installs what is missing or out of date.
// Says nothing on stdout, which belongs to the script that follows.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = join(dirname(fileURLToPath(import.meta.url)), '../..');
const at = (path) => join(repository, path);
const report = (line) => process.stderr.write(`${line}\n`);

const packagesOf = (file) => {
  try {
    return JSON.parse(readFileSync(at(file), 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/** True when node_modules holds exactly the versions of the lock file; packages for other platforms may lack. */
const isInstalled = () => {
  const wanted = packagesOf('package-lock.json');
  const present = packagesOf('node_modules/.package-lock.json');
  if (!wanted || !present || !existsSync(at('node_modules/.bin/node'))) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true;
    if (entry.link) return existsSync(at(path));
    return present[path] ? present[path].version === entry.version : entry.optional || entry.devOptional;
  });
};

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

const lock = at('.cardinal/install.lock');

/** The process that is installing; 0 where its file is empty, undefined where there is none. */
const holder = () => {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
};

/** True for the lock of a killed install: its process is gone, or is another one by now, or never wrote its number. */
const isAbandoned = (waited) => {
  const pid = holder();
  if (pid === undefined) return false;
  if (pid === 0) return waited > 4;
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return !isAlive(pid) || age > 20 * 60_000;
};

const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

/** Waits until no other process installs, then holds the lock. */
const takeLock = () => {
  mkdirSync(dirname(lock), { recursive: true });
  for (let waited = 0; ; waited += 1) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      return;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    if (isAbandoned(waited)) rmSync(lock, { force: true });
    if (waited === 0) report('another start is installing the packages; waiting for it');
    pause(250);
  }
};

/** Says how far npm is: it is silent for minutes otherwise. @returns what ends that */
const showProgress = () => {
  const paths = Object.keys(packagesOf('package-lock.json') ?? {}).filter((path) => path.includes('node_modules/'));
  const began = Date.now();
  const show = () => {
    const there = paths.filter((path) => existsSync(at(path))).length;
    report(`  ${there} of ${paths.length} packages, ${Math.round((Date.now() - began) / 1000)} s`);
  };
  const timer = setInterval(show, 10_000);
  return () => clearInterval(timer);
};

const npm = (...words) =>
  new Promise((resolve) => {
    const child = spawn('npm', words, { cwd: repository, stdio: ['ignore', 2, 2] });
    child.once('error', (error) => resolve(`: ${error.message}`));
    child.once('close', (code) => resolve(code === 0 ? undefined : ''));
  });

const install = async () => {
  takeLock();
  try {
    if (isInstalled()) return;
    report('installing packages (Node 24, Postgres and libraries; the first time takes minutes)');
    const stop = showProgress();
    const failure = await npm('ci', '--no-audit', '--no-fund', '--loglevel=error', '--progress');
    stop();
    if (failure !== undefined) {
      report(`npm ci failed${failure}`);
      process.exitCode = 1;
    }
  } finally {
    rmSync(lock, { force: true });
  }
};

try {
  if (!isInstalled()) await install();
} catch (error) {
  if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
  report(
    `${error.path} cannot be written (${error.code}): the folder belongs to another user; clone Cardinal anew as yourself`,
  );
  process.exitCode = 1;
}
