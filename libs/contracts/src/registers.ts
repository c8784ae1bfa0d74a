import { lineageKey } from './lineage.ts';
import type { ServiceName } from './services.ts';

/** A bucket of the broker, and which of its keys each user writes, as the broker matches subjects. */
interface RegisterDescription {
  bucket: string;
  writers: Partial<Record<ServiceName, readonly string[]>>;
}

/**
 * The key-value buckets that remember what a database may forget (ARCHITECTURE, "Lineage"). A writer reads all of its
 * bucket, since the broker cannot tell readers of keys apart; nobody else reads any of it.
 */
export const registers = {
  /** How far numbers were given out (ADR 0042). */
  numbers: { bucket: 'CARDINAL_REGISTER', writers: { identifier: [lineageKey, 'mark.*.*'], card: [lineageKey] } },
  /** How far the log went, and what was taken away from webhooks (ADR 0066, ADR 0072). */
  log: { bucket: 'CARDINAL_LOG', writers: { event: ['log', 'log.*', 'webhook.*.*'] } },
} as const satisfies Record<string, RegisterDescription>;

export type RegisterName = keyof typeof registers;
export const registerNames = Object.keys(registers) as readonly RegisterName[];

/** Which keys of a register a service writes; none where it does not even read it. */
export const keysOf = (register: RegisterName, service: string): readonly string[] => {
  const { writers }: RegisterDescription = registers[register];
  return writers[service as ServiceName] ?? [];
};

/** The register that a service reads and writes; undefined where it has none. */
export const registerOf = (service: string): RegisterName | undefined =>
  registerNames.find((name) => keysOf(name, service).length > 0);
