import type { Bus } from '@cardinal/bus';
import * as contracts from '@cardinal/contracts';
import { createLabel } from '../handlers/create-label.ts';
import { deleteLabel } from '../handlers/delete-label.ts';
import { getLabel } from '../handlers/get-one.ts';
import { listLabels } from '../handlers/list-labels.ts';
import { patchLabel } from '../handlers/patch-label.ts';
import type { Parts } from '../parts.ts';

/** Labels of the workspace. */
export const serveLabels = (bus: Pick<Bus, 'serve'>, parts: Parts): void => {
  bus.serve(contracts.createLabel, createLabel(parts));
  bus.serve(contracts.getLabel, getLabel(parts));
  bus.serve(contracts.listLabels, listLabels(parts));
  bus.serve(contracts.patchLabel, patchLabel(parts));
  bus.serve(contracts.deleteLabel, deleteLabel(parts));
};
