import type { Source } from '../issue.ts';
import type { Options } from '../options.ts';
import { dialects } from './dialects.ts';
import { readFormerKeys } from './former-keys.ts';
import { openGithub } from './github.ts';
import { openTabular } from './tabular.ts';
import { openTrello } from './trello.ts';

/** Opens what was exported. @throws CliError where it cannot be read as what it is said to be */
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
