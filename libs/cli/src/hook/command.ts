import { resolve } from 'node:path';
import type { Command } from 'commander';
import { explain } from '../errors.ts';
import { anyCase } from '../refs/command.ts';
import { connect, type Session } from '../session.ts';
import { checkMessage, type HookOptions } from './check.ts';
import { installHook } from './install.ts';

// The user waits for the commit.
const hurry = { timeoutMs: 3_000, retry: { attempts: 1 } };

/** Warns, and never fails: no commit waits for a service that is away. */
const runHook = async (session: Session, file: string, options: HookOptions): Promise<void> => {
  try {
    const lines = await checkMessage(() => connect(session, hurry), resolve(session.directory, file), options);
    for (const line of lines) console.error(`cardinal: ${line}`);
  } catch (error) {
    const reason = explain(error, session) ?? (error as Error).message;
    console.error(`cardinal: references were not looked at: ${reason}`);
  }
};

const rewrite = ['--rewrite', "write today's identifiers into the message, in place of former ones", false] as const;

/** `cardinal hook` */
export const addHook = (program: Command, session: Session): void => {
  const hook = program.command('hook').description('Has git look at the references of commit messages.');
  hook
    .command('install')
    .description(
      "Writes the repository's hook commit-msg. It warns of references that lead nowhere, and stops no commit.",
    )
    .option('--add', 'put it into the hook that is there, before what that does', false)
    .option(...anyCase)
    .option(...rewrite)
    .action(async ({ add, ...said }: HookOptions & { add: boolean }) => {
      const options = [...(said.anyCase ? ['--any-case'] : []), ...(said.rewrite ? ['--rewrite'] : [])];
      console.log(await installHook({ add, options }, session.directory));
    });
  hook
    .command('commit-msg')
    .description(
      'The hook itself: looks where the references of a commit message lead, and exits with 0 whatever happens.',
    )
    .argument('<file>', 'the message')
    .option(...anyCase)
    .option(...rewrite)
    .action((file: string, options: HookOptions) => runHook(session, file, options));
};
