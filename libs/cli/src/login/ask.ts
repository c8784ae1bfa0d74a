import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { CliError, stopped } from '../errors.ts';

/** What is typed goes nowhere. */
const silent = () => new Writable({ write: (_chunk, _encoding, done) => done() });

/**
 * A secret: asked for at the terminal, where nothing of it shows; else what standard input holds.
 * @throws CliError where there is none
 */
export const askSecret = async (question: string): Promise<string> => {
  const { stdin, stderr } = process;
  const given = stdin.isTTY ? await typed(question) : await text(stdin);
  if (stdin.isTTY) stderr.write('\n');
  const secret = given.trim();
  if (secret === '') throw new CliError('no token was given');
  return secret;
};

const typed = (question: string): Promise<string> => {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin, output: silent(), terminal: true, historySize: 0 });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => {
      lines.close();
      process.stderr.write('\n');
      process.exit(stopped);
    });
    // Ctrl-D.
    lines.once('close', () => resolve(''));
  });
};
