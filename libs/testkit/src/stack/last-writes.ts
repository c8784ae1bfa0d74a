import { onRegister, type Register } from '@cardinal/bus';
import { lineage, lineageKeyOf, registerOf, witnessedDatabases } from '@cardinal/contracts';
import { runStatements } from '@cardinal/servers';

/**
 * Has the last writes be so much longer ago, in all that databases and register say of them: as if so much time had passed,
 * while nothing ran.
 * @param hours whole ones
 */
export const ageLastWrites = async (adminUrl: string, brokerUrl: string, hours: number): Promise<void> => {
  await runStatements(
    adminUrl,
    witnessedDatabases.map(
      (schema) => `update ${schema}.lineage set ticked_at = ticked_at - interval '${hours} hours'`,
    ),
  );
  // Card and identifier share theirs.
  for (const database of ['identifier', 'event'] as const) {
    const age = async (register: Register) => {
      const key = lineageKeyOf(database);
      const { value, revision } = await register.read(key);
      const known = lineage.parse(value);
      for (const witness of Object.values(known.witnesses))
        witness.at = new Date(Date.parse(witness.at ?? '') - hours * 3_600_000).toISOString();
      await register.write(key, known, revision);
    };
    await onRegister({ url: brokerUrl }, age, registerOf(database));
  }
};
