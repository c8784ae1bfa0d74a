import { lineageKey } from './lineage.ts';
import type { ServiceName } from './services.ts';

/** A bucket of the broker, and the keys that each user writes, as patterns of subjects. */
interface RegisterDescription {
  bucket: string;
  writers: Partial<Record<ServiceName, readonly string[]>>;
  /** Whether entries may have an end, after which the broker forgets them (2.11 or later; an earlier one keeps them). */
  hasEnds?: true;
}

/**
 * The key-value buckets that remember what a database may forget (ARCHITECTURE, "Lineage"). A writer can read its whole
 * bucket, as the broker cannot limit readers to keys. Other users cannot read it.
 */
export const registers = {
  /** The highest numbers that were given out (ADR 0042). */
  numbers: { bucket: 'CARDINAL_REGISTER', writers: { identifier: [lineageKey, 'mark.*.*'], card: [lineageKey] } },
  /** The highest numbers of the log, and what was taken away from webhooks (ADR 0066, ADR 0072). */
  log: { bucket: 'CARDINAL_LOG', writers: { event: ['log', 'log.*', 'webhook.*.*'] } },
  /** What was revoked of API keys, and who was erased. */
  access: { bucket: 'CARDINAL_ACCESS', writers: { access: ['access', 'key.*.*', 'person.*.*'] }, hasEnds: true },
} as const satisfies Record<string, RegisterDescription>;

export type RegisterName = keyof typeof registers;
export const registerNames = Object.keys(registers) as readonly RegisterName[];

/** The keys of a register that a service writes; empty where it cannot read it either. */
export const keysOf = (register: RegisterName, service: string): readonly string[] => {
  const { writers }: RegisterDescription = registers[register];
  return writers[service as ServiceName] ?? [];
};

/** Whether entries of a register may have an end. */
export const hasEnds = (register: RegisterName): boolean => {
  const description: RegisterDescription = registers[register];
  return description.hasEnds ?? false;
};

/** The register that a service reads and writes; undefined where it has none. */
export const registerOf = (service: string): RegisterName | undefined =>
  registerNames.find((name) => keysOf(name, service).length > 0);
