import { connectBus } from '@cardinal/bus';
import {
  type Allocation,
  allocate,
  type Confirmation,
  confirm,
  getWorkstream,
  notFound,
  type Workstream,
} from '@cardinal/contracts';
import { createLogger } from '@cardinal/runtime';
import { v7 } from 'uuid';
import type { z } from 'zod';

type AllocateRequest = z.output<typeof allocate.request>;

/** The identifier service's side of the contracts. Tests hold its answers back, and see what it was asked and told. */
export const startIdentifierDouble = async (natsUrl: string) => {
  const bus = await connectBus({
    url: natsUrl,
    name: 'identifier',
    logger: createLogger({ service: 'identifier', level: 'silent' }),
  });
  const workstreams = new Map<string, Workstream & { workspace_id: string; issued: number }>();
  const answers = new Map<string, Allocation>();

  const add = (workspace_id: string, prefix: string, change: Partial<Workstream> = {}) => {
    const now = new Date().toISOString();
    const workstream = {
      ...{ id: v7(), type: 'workstream' as const, version: 1, name: prefix, prefix, description: null },
      ...{ is_default: false, archived_at: null, created_at: now, updated_at: now, workspace_id, issued: 0 },
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
    return found?.workspace_id === workspace_id ? found : undefined;
  };

  const double = {
    bus,
    add,
    /** Operations asked for, each time they were. */
    asked: [] as string[],
    /** Operations confirmed, each time they were. */
    confirmed: [] as Confirmation[],
    /** What happens before an allocation is decided, and after, before its answer leaves. */
    beforeAllocation: async (_request: AllocateRequest): Promise<void> => {},
    afterAllocation: async (_request: AllocateRequest): Promise<void> => {},
    beforeConfirmation: async (_request: Confirmation): Promise<void> => {},
    issuedIn: (id: string) => workstreams.get(id)?.issued,
  };

  const decide = ({ workspace_id, workstream_id, fall_back }: AllocateRequest): Allocation => {
    let workstream = find(workspace_id, workstream_id);
    if (fall_back && workstream?.archived_at) workstream = mainOf(workspace_id);
    if (!workstream) return { result: 'refused', reason: 'not_found' };
    if (workstream.archived_at) return { result: 'refused', reason: 'archived' };
    workstream.issued += 1;
    return { result: 'allocated', number: workstream.issued, workstream };
  };

  bus.serve(allocate, async (request) => {
    double.asked.push(request.operation_id);
    await double.beforeAllocation(request);
    const answer = answers.get(request.operation_id) ?? decide(request);
    answers.set(request.operation_id, answer);
    await double.afterAllocation(request);
    return answer;
  });
  bus.serve(confirm, async (request) => {
    await double.beforeConfirmation(request);
    double.confirmed.push(request);
    return { confirmed: true as const };
  });
  bus.serve(getWorkstream, async ({ workspace_id, workstream_id }) => {
    const found = find(workspace_id, workstream_id);
    if (!found) throw notFound('Workstream');
    return found;
  });
  return double;
};
export type IdentifierDouble = Awaited<ReturnType<typeof startIdentifierDouble>>;
