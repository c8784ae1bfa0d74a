import { styleText } from 'node:util';
import { clientVersion } from '@cardinal/client/source';
import { Command, CommanderError } from 'commander';
import { addCompletion } from './completion/command.ts';
import { defaultUrl, type Environment, refuseColours, webAddress } from './config.ts';
import { explain, UsageError, wrongUsage } from './errors.ts';
import { addEvents } from './events/command.ts';
import { addHook } from './hook/command.ts';
import { addExport, addImport } from './import/command.ts';
import { findAccess, type Named } from './login/access.ts';
import { addLogin } from './login/command.ts';
import { usualProfile } from './login/profiles.ts';
import { addMcp } from './mcp/command.ts';
import { addApi } from './operations/api.ts';
import { addOperations } from './operations/command.ts';
import { addRefs } from './refs/command.ts';
import type { Access, Session } from './session.ts';
import { addMove, addShow, addTransfer } from './show/command.ts';
import { addUpload } from './upload/command.ts';

/**
 * Runs a command line.
 * @param watchSignals called by commands that finish their current work before they stop
 * @returns the exit code: 0 where all is well, 1 where something was refused or failed, 2 for a command line that is none,
 *   130 when stopped
 */
export const runCli = async (
  args: string[],
  environment: Environment,
  watchSignals: Session['watchSignals'],
): Promise<number> => {
  const program = new Command('cardinal')
    .description('Cardinal on the command line.')
    .option('--url <url>', `where Cardinal listens (default: CARDINAL_URL, the profile's, ${defaultUrl})`, webAddress)
    .option('--token <token>', 'access token or API key (default: CARDINAL_TOKEN, which shows in no list of processes)')
    .option('--profile <profile>', `what "cardinal login" keeps (default: CARDINAL_PROFILE or "${usualProfile}")`)
    .option('--json', 'prints JSON on a terminal too: one resource, or a line for each of a list')
    .option('--no-color', 'no colours on a terminal (as NO_COLOR; FORCE_COLOR has them elsewhere too)')
    .on('option:no-color', () => refuseColours())
    // Beside the longest command there are 37 columns of 80.
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 30 })
    .configureOutput({
      writeOut: (text) => console.log(text.trimEnd()),
      writeErr: (text) => console.error(text.trimEnd()),
      outputError: (text, write) => write(`${text.trim().replaceAll('\n', ' ')}; --help lists what there is`),
    })
    .exitOverride();
  let found: Access | undefined;
  const access = () => {
    found ??= findAccess(program.opts<Named>(), environment);
    return found;
  };
  const { directory } = environment;
  const json = () => program.opts<{ json?: true }>().json === true;
  const session: Session = { access, environment, json, directory, watchSignals, isWarned: false, exitCode: 0 };
  for (const add of [
    addShow,
    addMove,
    addTransfer,
    addOperations,
    addUpload,
    addLogin,
    addApi,
    addEvents,
    addRefs,
    addHook,
    addImport,
    addExport,
    addMcp,
    addCompletion,
  ])
    add(program, session);
  // Elsewhere `--version` is that of a resource.
  if (args.length === 1 && args[0] === '--version') {
    console.log(clientVersion);
    return 0;
  }
  try {
    await program.parseAsync(args, { from: 'user' });
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUsage;
    const line = explain(error, session);
    console.error(line === undefined ? error : `${styleText('red', 'error:', { stream: process.stderr })} ${line}`);
    return error instanceof UsageError ? wrongUsage : 1;
  }
};
