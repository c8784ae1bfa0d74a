import { against, type IfMatch, keyReused, type Prediction, refused, shown } from './story.ts';

/*
 * The rules of workstreams (CONTRACT 4.1; CONTRACT 4.2), and cards as far as they have numbers.
 */

interface Workstream {
  version: number;
  name: string;
  description: string | null;
  archived: boolean;
  lastNumber: number;
}

interface Card {
  version: number;
  /** Oldest first; the last one is current. */
  identifiers: string[];
}

/** Two to ten characters, first a letter, the rest letters or digits; in any letter case. */
const isPrefix = (text: string) => /^[a-z][a-z0-9]{1,9}$/i.test(text);
const prefixOf = (card: Card | undefined) => card?.identifiers.at(-1)?.split('-')[0] as string;

export class WorkstreamModel {
  /** By prefix, in the order of their making. */
  readonly workstreams = new Map<string, Workstream>();
  readonly cards = new Map<string, Card>();
  readonly board = { version: 1, default: null as string | null };
  readonly answered = new Map<string, number>();

  /** @param prefixes what there is beside MAIN, named as it is prefixed */
  constructor(prefixes: string[]) {
    this.add('MAIN', 'Main');
    for (const prefix of prefixes) this.add(prefix, prefix);
  }

  private add(prefix: string, name: string): void {
    this.workstreams.set(prefix, { version: 1, name, description: null, archived: false, lastNumber: 0 });
  }

  /** What an answer shows of a workstream. */
  view(prefix: string) {
    const { lastNumber: _, ...shows } = this.workstreams.get(prefix) as Workstream;
    return { ...shows, prefix, isDefault: prefix === 'MAIN' };
  }

  viewCard(name: string) {
    const card = this.cards.get(name) as Card;
    const prefix = prefixOf(card);
    const identifier = card.identifiers.at(-1);
    return { version: card.version, identifier, workstream: `${prefix} ${this.workstreams.get(prefix)?.name}` };
  }

  /** A prefix that the workspace ever had is taken, in any letter case, even where its workstream is gone. */
  create(prefix: string, name: string): Prediction {
    if (!isPrefix(prefix)) return refused(422);
    const kept = prefix.toUpperCase();
    if (this.workstreams.has(kept)) return refused(409);
    this.add(kept, name);
    return this.keyed(`create ${kept}`, shown(this.view(kept), 201));
  }

  /** Name and description; an archived one too. The prefix cannot be edited. */
  edit(prefix: string, ifMatch: IfMatch, fields: { name?: string; description?: string | null; prefix?: string }) {
    const found = this.workstreams.get(prefix);
    const refusal = against(ifMatch, found, 'prefix' in fields || fields.name === '');
    if (refusal || !found) return refusal ?? refused(404);
    if (Object.entries(fields).some(([field, value]) => found[field as 'name'] !== value)) found.version += 1;
    Object.assign(found, fields);
    return shown(this.view(prefix));
  }

  archive(prefix: string, ifMatch: IfMatch): Prediction {
    const found = this.workstreams.get(prefix);
    const refusal = against(ifMatch, found);
    if (refusal || !found) return refusal ?? refused(404);
    if (prefix === 'MAIN') return refused(409);
    if (!found.archived) found.version += 1;
    found.archived = true;
    return this.keyed(`archive ${prefix}`, shown(this.view(prefix)));
  }

  /** An archived default of the board gives way to MAIN; one that is named is refused. */
  createCard(name: string, named: string | undefined): Prediction {
    const refusal = named === undefined ? undefined : this.refuseTarget(named);
    if (refusal) return refusal;
    const fallback = this.board.default;
    const byDefault = fallback && !this.workstreams.get(fallback)?.archived ? fallback : 'MAIN';
    this.cards.set(name, { version: 1, identifiers: [this.issue(named ?? byDefault)] });
    return this.keyed(`createCard ${name}`, shown(this.viewCard(name), 201));
  }

  /** To the workstream that it is in, archived or not, nothing changes. @param key whether its answer is kept under a key */
  transfer(name: string, to: string, ifMatch: IfMatch, key: boolean): Prediction {
    const card = this.cards.get(name);
    const refusal = against(ifMatch, card) ?? (to === prefixOf(card as Card) ? undefined : this.refuseTarget(to));
    if (refusal || !card) return refusal ?? refused(404);
    if (to !== prefixOf(card)) {
      card.identifiers.push(this.issue(to));
      card.version += 1;
    }
    const answer = shown(this.viewCard(name));
    return key ? this.keyed(`transfer ${name}`, answer) : answer;
  }

  /** Only an active one can become the board's default; the default that it has may stay. */
  setDefault(prefix: string | null): Prediction {
    const { board } = this;
    if (prefix !== board.default) {
      const refusal = prefix === null ? undefined : this.refuseTarget(prefix);
      if (refusal) return refusal;
      board.default = prefix;
      board.version += 1;
    }
    return shown({ ...board });
  }

  repeat(label: string, changed: boolean): Prediction {
    return changed ? keyReused : shown(true, this.answered.get(label));
  }

  private refuseTarget(prefix: string): Prediction | undefined {
    const target = this.workstreams.get(prefix);
    if (!target) return refused(404);
    return target.archived ? refused(409) : undefined;
  }

  /** 1, 2, 3, … without a gap. */
  private issue(prefix: string): string {
    const workstream = this.workstreams.get(prefix) as Workstream;
    workstream.lastNumber += 1;
    return `${prefix}-${workstream.lastNumber}`;
  }

  private keyed(label: string, prediction: Prediction): Prediction {
    this.answered.set(label, prediction.status);
    return prediction;
  }
}
