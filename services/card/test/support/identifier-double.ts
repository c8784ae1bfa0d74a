import {
  conflict,
  getWorkstream,
  grant,
  type IssuedIdentifier,
  notFound,
  prepareAdoption,
  recordIdentifiers,
  resolveIdentifier,
  resolveRecorded,
  type Workstream,
} from '@cardinal/contracts';
import { startFeedDouble, testBus } from '@cardinal/testkit';
import { v7 } from 'uuid';
import type { z } from 'zod';

type GrantRequest = z.output<typeof grant.request>;

/** The identifier service's side of the contracts. Tests hold its answers back, and see what it received. */
export const startIdentifierDouble = async (natsUrl: string) => {
  const bus = await testBus(natsUrl, 'identifier');
  const workstreams = new Map<string, Workstream & { workspace_id: string; granted_through: number }>();
  /** The epoch that the range of a workstream counts for, and what was granted before. */
  const epochs = new Map<string, { epoch: number; epoch_base: number }>();
  const ledger = new Map<string, IssuedIdentifier>();

  const add = (workspace_id: string, prefix: string, change: Partial<Workstream> = {}) => {
    const now = new Date().toISOString();
    const workstream = {
      ...{ id: v7(), type: 'workstream' as const, version: 1, name: prefix, prefix, description: null },
      ...{ is_default: false, archived_at: null, created_at: now, updated_at: now, adopting: false },
      ...{ workspace_id, granted_through: 0 },
      ...change,
    };
    workstreams.set(workstream.id, workstream);
    return workstream;
  };
  const mainOf = (workspace_id: string) =>
    [...workstreams.values()].find((one) => one.workspace_id === workspace_id && one.is_default) ??
    add(workspace_id, 'MAIN', { is_default: true });
  const find = (workspace_id: string, id: string | null) => {
    const found = id === null ? mainOf(workspace_id) : workstreams.get(id);
    if (found?.workspace_id !== workspace_id) throw notFound('Workstream');
    return found;
  };
  const refuseAdopting = ({ adopting }: Workstream) => {
    if (adopting) throw conflict('The workstream adopts cards, and issues no number until it is opened');
  };
  const keyOf = (workspace_id: string, identifier: string) => `${workspace_id}/${identifier}`;

  const double = {
    bus,
    feed: startFeedDouble(bus, 'identifier'),
    add,
    /** Numbers that a grant makes room for. */
    granted: 1_000,
    /** Grants asked for, each time they were. */
    asked: [] as GrantRequest[],
    /** What happens before a grant or an adoption is decided and before identifiers are recorded, and what holds its answer back. */
    beforeGrant: async (_request: GrantRequest): Promise<void> => {},
    afterGrant: async (_request: GrantRequest): Promise<void> => {},
    beforeAdoption: async (_request: z.output<typeof prepareAdoption.request>): Promise<void> => {},
    beforeRecord: async (_issued: IssuedIdentifier[]): Promise<void> => {},
    beforeResolve: async (): Promise<void> => {},
    /** Identifiers that the ledger was asked for, each time it was. */
    resolved: [] as string[],
    /** Identifiers of a workspace in the ledger. */
    recorded: (workspace_id: string) => [...ledger.values()].filter((one) => one.workspace_id === workspace_id),
    /** Puts an identifier into the ledger, as a card service did whose database is lost. */
    plant: (issued: IssuedIdentifier) => ledger.set(keyOf(issued.workspace_id, issued.identifier), issued),
  };

  bus.serve(grant, async (request) => {
    double.asked.push(request);
    await double.beforeGrant(request);
    const { workspace_id, last_number, epoch } = request;
    const workstream = find(workspace_id, request.workstream_id);
    refuseAdopting(workstream);
    const numbers = double
      .recorded(workspace_id)
      .filter((one) => one.workstream_id === workstream.id)
      .map(({ identifier }) => Number(identifier.split('-')[1]));
    const highest_number = Math.max(0, ...numbers);
    const granted_before = workstream.granted_through;
    const known = epochs.get(workstream.id) ?? { epoch: 1, epoch_base: 0 };
    const range = epoch > known.epoch ? { epoch, epoch_base: granted_before } : known;
    epochs.set(workstream.id, range);
    if (workstream.archived_at === null) {
      const used = range === known ? Math.max(highest_number, last_number) : granted_before;
      workstream.granted_through = Math.max(granted_before, used + double.granted);
    }
    const { granted_through } = workstream;
    const answer = { workstream: { ...workstream }, granted_before, granted_through, ...range };
    await double.afterGrant(request);
    return { ...answer, highest_number };
  });
  bus.serve(recordIdentifiers, async ({ issued }) => {
    await double.beforeRecord(issued);
    const refused = issued.filter((one) => {
      const key = keyOf(one.workspace_id, one.identifier);
      const known = ledger.get(key) ?? one;
      ledger.set(key, known);
      return known.card_id !== one.card_id;
    });
    return { refused };
  });
  bus.serve(resolveIdentifier, async ({ workspace_id, identifier }) => {
    double.resolved.push(identifier);
    await double.beforeResolve();
    return { card_id: ledger.get(keyOf(workspace_id, identifier))?.card_id ?? null };
  });
  bus.serve(resolveRecorded, async ({ workspace_id, identifiers }) => {
    double.resolved.push(...identifiers);
    await double.beforeResolve();
    return { card_ids: identifiers.map((one) => ledger.get(keyOf(workspace_id, one))?.card_id ?? null) };
  });
  bus.serve(prepareAdoption, async (request) => {
    await double.beforeAdoption(request);
    const { workspace_id, epoch } = request;
    const own = find(workspace_id, request.workstream_id);
    if (!own.adopting) throw conflict('The workstream does not adopt');
    const identifiers = [...request.numbers.map((number) => `${own.prefix}-${number}`), ...request.former];
    const recorded = identifiers.flatMap((identifier) => ledger.get(keyOf(workspace_id, identifier)) ?? []);
    const others = [...workstreams.values()].filter(
      (one) => one.workspace_id === workspace_id && one.adopting && one !== own,
    );
    return { epoch, workstreams: [own, ...others], recorded };
  });
  bus.serve(getWorkstream, async ({ workspace_id, workstream_id }) => find(workspace_id, workstream_id));
  return double;
};
export type IdentifierDouble = Awaited<ReturnType<typeof startIdentifierDouble>>;
