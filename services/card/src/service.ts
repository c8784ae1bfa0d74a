import { purgeCommands } from '@cardinal/db';
import { type Projection, type Service, startProjections, tickMs } from '@cardinal/service';
import { serveAdoptions } from './adoptions/adoptions.ts';
import { serveBoards } from './boards/boards.ts';
import { serveBoardMembers } from './boards/members.ts';
import { serveCards } from './cards/cards.ts';
import { projectEdges } from './cards/dependency-projection.ts';
import { serveReferences } from './cards/resolve.ts';
import { serveCardSummaries } from './cards/summaries.ts';
import { serveColumns } from './columns/columns.ts';
import { serveComments } from './comments/comments.ts';
import type { Config } from './config.ts';
import { createContext, type ServiceContext } from './context.ts';
import type { Tables } from './database.ts';
import { serveLabels } from './labels/labels.ts';
import { serveNumbers } from './numbers/numbers.ts';
import { issuedGauges, issuedHours, purgeIssued } from './numbers/recorder.ts';
import { projectWorkstreams } from './numbers/workstream-projection.ts';
import { projectLinks } from './subtasks/linked-files.ts';
import { serveSubtasks } from './subtasks/subtasks.ts';

/** Serves all requests of the service except those of its projections. */
export const serve = (context: ServiceContext): void => {
  serveBoards(context);
  serveBoardMembers(context);
  serveColumns(context);

  serveCards(context);
  serveCardSummaries(context);
  serveReferences(context);
  serveLabels(context);
  serveComments(context);
  serveSubtasks(context);

  serveNumbers(context);
  serveAdoptions(context);
};

/** Creates the projections of workstreams, dependencies and linked files (ARCHITECTURE, "Projections"). */
export const projectionsOf = (context: ServiceContext): Projection[] => [
  projectWorkstreams(context),
  projectEdges(context),
  projectLinks(context),
];

/** The service: its requests, projections, sweepers, retention and gauges. */
export const service: Service<Config, Tables> = (connections, config) => {
  const context = createContext(connections, {
    recordAgeMs: config.RECORD_AGE_MS,
    isTrusted: config.TRUST_DATABASES,
  });
  const { lineage, recorder } = context;
  serve(context);
  return {
    parts: [lineage.part, startProjections(context, projectionsOf(context))],
    sweepers: [
      { name: 'recorder', intervalMs: config.RECORD_SWEEP_INTERVAL_MS, run: recorder.sweep },
      { name: 'lineage', intervalMs: tickMs, run: lineage.sweep },
    ],
    retention: [
      { purge: purgeCommands, hours: config.RETENTION_HOURS },
      { purge: purgeIssued, hours: issuedHours },
    ],
    gauges: issuedGauges,
    idle: recorder.idle,
  };
};
