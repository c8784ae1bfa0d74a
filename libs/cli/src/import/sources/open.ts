import type { Source } from '../issue.ts';
import type { Options } from '../options.ts';
import { dialects } from './dialects.ts';
import { readFormerKeys } from './former-keys.ts';
import { openGithub } from './github.ts';
import { openTabular } from './tabular.ts';
import { openTrello } from './trello.ts';

/** Opens an exported file. @throws CliError if it cannot be read in the form of its tracker */
export const openSource = async (options: Options): Promise<Source> => {
  const { from, files, prefix = '', encoding } = options;
  if (from === 'github') return openGithub(files, prefix, encoding);
  if (from === 'trello') return openTrello(files[0] ?? '', prefix, encoding);
  return openTabular(dialects[from], {
    files,
    encoding,
    named: options.columns,
    keyPattern: options.keyPattern,
    zone: options.timeZone,
    order: options.dateOrder,
    former: options.formerKeys === undefined ? new Map() : await readFormerKeys(options.formerKeys, encoding),
  });
};
