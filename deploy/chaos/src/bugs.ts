import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** This module imports nothing from the product: a module loaded before the bug is planted would not have it. */
const pathOf = (file: string) => fileURLToPath(new URL(`../../../${file}`, import.meta.url));

/** A text in a source file, and its replacement in a process with the bug. */
interface Edit {
  /** Relative to the repository. */
  file: string;
  find: string;
  replace: string;
}

/** A bug that Cardinal could have: the suite must find each (ADR 0039). */
export interface Bug {
  name: string;
  /** What is wrong with it, for the report. */
  mistake: string;
  /** The kinds of faults that reveal the bug; all kinds by default. */
  faults?: string[];
  /** The services that faults hit; all by default. */
  services?: string[];
  /** Only a rolling restart (`rolling`) reveals it; faults would hide it. */
  isSeenRolling?: true;
  edits: Edit[];
}

const create = 'services/card/src/cards/create.ts';
const createStatement = 'services/card/src/cards/statements/create-cards.ts';

export const bugs: Bug[] = [
  {
    name: 'counter-apart',
    mistake: 'the counter rises in its own transaction, before that of the card',
    edits: [
      { file: create, find: "from 'lru-cache';", replace: "from 'lru-cache';\nimport { sql } from 'kysely';" },
      {
        file: create,
        find: 'return create.run(tx, [cards, workspaceId, now, met.epoch, met.table]);',
        replace: `return (async () => {
            const numbered: (CardToCreate & { number?: string })[] = JSON.parse(cards);
            for (const card of numbered) {
              const { rows } = await sql<{ last_number: string }>\`
                update workstreams set last_number = last_number + 1
                where workspace_id = \${workspaceId}::uuid and id = \${card.expected}::uuid
                returning last_number\`.execute(tx);
              card.number = rows[0]?.last_number;
            }
            return create.run(tx, [JSON.stringify(numbered), workspaceId, now, met.epoch, met.table]);
          })();`,
      },
      { file: createStatement, find: 'seq integer, card_id', replace: 'seq integer, number bigint, card_id' },
      {
        file: createStatement,
        find: `select allowed.*, ranges.last_number + row_number() over (partition by allowed.workstream_id order by seq) as number,
    ranges.name`,
        replace: 'select allowed.*, ranges.name',
      },
      {
        file: createStatement,
        find: 'count(*) from numbered group by workspace_id, workstream_id) as used',
        replace: 'count(*) from numbered where false group by workspace_id, workstream_id) as used',
      },
    ],
  },
  {
    name: 'adopt-while-open',
    mistake: 'cards are adopted into an opened workstream',
    faults: ['kill'],
    services: ['card'],
    edits: [
      {
        file: 'services/card/src/adoptions/adoptions.ts',
        find: 'rows.filter((row) => row.adopting && !row.closed)',
        replace: 'rows.filter((row) => !row.closed)',
      },
      {
        file: 'services/identifier/src/workstreams/adoption.ts',
        find: 'if (!row.adopting || row.archived_at) continue;',
        replace: 'if (row.archived_at) continue;',
      },
      {
        file: 'services/identifier/src/workstreams/adoption.ts',
        find: 'if (wasOpened(mark)) return undefined;',
        replace: '',
      },
    ],
  },
  {
    name: 'plain-drain',
    mistake: 'a stopping gateway closes connections while requests are under way',
    isSeenRolling: true,
    edits: [
      {
        file: 'libs/edge/src/drain-connections.ts',
        find: 'const isOver = () => Date.now()',
        replace: 'server.closeAllConnections();\n  const isOver = () => Date.now() + longestPartingMs',
      },
    ],
  },
  {
    name: 'tombstone-unchecked',
    mistake: 'a dependency that arrives after the deletion of its card is kept',
    faults: ['database-delayed'],
    services: ['dependency'],
    edits: [
      {
        file: 'services/dependency/src/graph/agreeing-edges.ts',
        find: 'card.deleted_at is not null or needed.deleted_at is not null as gone,',
        replace: 'false as gone,',
      },
    ],
  },
  {
    name: 'command-apart',
    mistake: "a command's answer is stored after the transaction of its effect",
    faults: ['kill', 'failpoint'],
    edits: [
      { file: create, find: "from 'lru-cache';", replace: "from 'lru-cache';\nimport { sql } from 'kysely';" },
      {
        file: create,
        find: 'return writeBatch(context, workspaceId, commands, () =>',
        replace: `const store = async (answers: (Document<CardOutcome> | undefined)[]) => {
        for (const [at, answer] of answers.entries()) {
          if (!answer) continue;
          await db.statement((tx) => sql\`
            insert into commands (workspace_id, id, fingerprint, response, created_at, ended_at)
            values (\${workspaceId}, \${attempts[at]?.command.id}, \${attempts[at]?.command.fingerprint},
              \${answer.text}::jsonb, now(), now()) on conflict do nothing\`.execute(tx));
        }
        return answers;
      };
      const stored = (write: () => ReturnType<typeof createCards.run>) => writeBatch(context, workspaceId, commands, write).then(store);
      return stored(() =>`,
      },
      {
        file: createStatement,
        find: 'from documents order by command_id',
        replace: 'from documents where false order by command_id',
      },
    ],
  },
  {
    name: 'precondition-unlocked',
    mistake: "an edit's If-Match is compared with the version from before the lock",
    faults: ['database-delayed'],
    edits: [
      {
        file: 'services/card/src/cards/statements/edit-cards.ts',
        find: 'and cards.version = any (asked.if_match)',
        replace: `and (select seen.version from cards as seen
      where seen.workspace_id = asked.workspace_id and seen.id = asked.card_id) = any (asked.if_match)`,
      },
    ],
  },
  {
    name: 'epoch-uncompared',
    mistake: 'numbers are issued from ranges of any epoch',
    faults: ['volume-set-back', 'standby-promoted'],
    edits: [
      {
        file: createStatement,
        find: 'and epoch = $4::integer and workstreams.tableoid = $5::oid',
        replace: 'and $4::integer > 0 and $5::oid is not null',
      },
      {
        file: 'services/card/src/cards/statements/edit-cards.ts',
        find: 'and epoch = $3::integer and workstreams.tableoid = $4::oid',
        replace: 'and $3::integer > 0 and $4::oid is not null',
      },
    ],
  },
  {
    name: 'mark-after-grant',
    mistake: 'the mark of the register is raised ten seconds after the grant is answered',
    faults: ['volume-set-back', 'standby-promoted'],
    edits: [
      {
        file: 'services/identifier/src/ledger/ledger.ts',
        find: 'if (isRaised && !seen.archived_at && !(await marks.raise(seen, mark, range))) throw new Outdated();',
        replace: `if (isRaised && !seen.archived_at) {
        setTimeout(() => void marks.raise(seen, mark, range).catch(() => {}), 10_000);
      }`,
      },
    ],
  },
  {
    name: 'trust-without-witness',
    mistake: 'a database without a witness in the register is trusted',
    faults: ['everything-restored'],
    edits: [
      {
        file: 'libs/service/src/lineage/verdict.ts',
        find: "return found.ticked_at !== null && idleMs(found) < rewrittenWithinMs ? 'wait' : 'unknown';",
        replace: "return 'same';",
      },
    ],
  },
  {
    name: 'revocation-unmarked',
    mistake: 'a revocation of an API key is not written to the register',
    faults: ['volume-set-back', 'standby-promoted'],
    edits: [
      {
        file: 'services/access/src/keys/end.ts',
        find: 'await revocations.record({ ...row, ...changes, version: row.version + 1 });',
        replace: '',
      },
    ],
  },
  {
    name: 'event-apart',
    mistake: 'the feed entry is written in its own transaction, after that of the change',
    faults: ['kill'],
    services: ['card'],
    edits: [
      {
        file: 'libs/service/src/write.ts',
        find: 'if (details) await appendChange(tx, request.workspace_id, details);',
        replace: `if (details) setTimeout(() => {
        void db.transaction((later) => appendChange(later, request.workspace_id, details)).catch(() => {});
      }, Math.random() * 500);`,
      },
    ],
  },
  {
    name: 'visibility-remembered',
    mistake: 'a gateway keeps sending events of a board to users who no longer see it',
    faults: ['kill'],
    services: ['dependency'],
    edits: [
      {
        file: 'services/gateway/src/streams/pages.ts',
        find: 'const seen = new Map<string, Set<string>>(boardIds.map((id) => [id, new Set()]));',
        replace: `const once = globalThis as { remembered?: Map<string, Set<string>> };
      once.remembered ??= new Map();
      const seen = once.remembered;
      for (const id of boardIds) if (!seen.has(id)) seen.set(id, new Set());`,
      },
    ],
  },
];

/**
 * Plants a bug into a source file.
 * @param path the path of the file
 * @param source its text
 * @returns the text with the bug
 * @throws Error if a text to replace is missing or not unique: the product has changed, and the bug must follow
 */
const plantIn = (bug: Bug, path: string, source: string): string => {
  let planted = source;
  for (const { file, find, replace } of bug.edits) {
    if (path !== pathOf(file)) continue;
    if (planted.split(find).length !== 2) throw new Error(`${bug.name}: ${file} must contain exactly once: ${find}`);
    planted = planted.replace(find, () => replace);
  }
  return planted;
};

/** Returns the bug of that name. @throws Error that lists all names if there is none */
export const bugNamed = (name: string): Bug => {
  const bug = bugs.find((one) => one.name === name);
  if (!bug) throw new Error(`there is no bug "${name}"; there are ${bugs.map((one) => one.name).join(', ')}`);
  return bug;
};

/** Returns the text of every file of a bug as it is loaded, by path. @throws as `plantIn` does */
export const plantedFiles = (bug: Bug): Map<string, string> => {
  const paths = [...new Set(bug.edits.map(({ file }) => pathOf(file)))];
  return new Map(paths.map((path) => [path, plantIn(bug, path, readFileSync(path, 'utf8'))]));
};
