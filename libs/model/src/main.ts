import { parseArgs } from 'node:util';
import { adoptionModel } from './adoption/adoption.ts';
import { mutants as adoptionMutants } from './adoption/mutants.ts';
import { worlds as adoptionWorlds } from './adoption/worlds.ts';
import { explore, type Model, type Value } from './explore.ts';
import { lineageModel } from './lineage/lineage.ts';
import { mutants as lineageMutants } from './lineage/mutants.ts';
import { worlds as lineageWorlds } from './lineage/worlds.ts';
import { logModel } from './log/log.ts';
import { mutants as logMutants } from './log/mutants.ts';
import { worlds as logWorlds } from './log/worlds.ts';
import { numberingModel, mutants as numberingMutants, wide, worlds } from './numbering.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { wide: { type: 'boolean', default: false }, path: { type: 'boolean', default: false } },
});

const print = (text: string) => void process.stdout.write(`${text}\n`);

/** Explores one model and prints the result; with a mutant, up to the first violation. */
const report = <State extends Value>(name: string, model: Model<State>, fault?: string, countStuck = false): void => {
  const began = performance.now();
  const found = explore(model, { stopAtViolation: fault !== undefined, countStuck, limit: 8_000_000 });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const wrong = [...Object.keys(found.violations), ...(found.stuck ? ['stuck'] : [])];
  const isAsItMustBe = fault === undefined ? wrong.length === 0 && found.finished > 0 : wrong.length > 0;
  if (!isAsItMustBe) process.exitCode = 1;
  const counts = `${found.states} states, ${found.finished} finished, ${seconds} s`;
  print(
    `${isAsItMustBe ? 'ok   ' : 'WRONG'} ${name.padEnd(36)} ${(wrong.join(', ') || 'no violation').padEnd(40)} ${counts}`,
  );
  if (fault) print(`      ${fault}`);
  if (values.path) for (const step of found.path ?? []) print(`        ${step}`);
};

const numbering = (): void => {
  if (values.wide) report('numbering, wide', numberingModel(wide));
  else
    for (const [name, { world, mutants }] of Object.entries(worlds)) {
      report(`numbering, ${name}`, numberingModel(world));
      for (const mutant of mutants) report(`  ${mutant}`, numberingModel(world, mutant), numberingMutants[mutant]);
    }
};

const lineage = (): void => {
  for (const [name, { world, mutants, wide: wider }] of Object.entries(lineageWorlds)) {
    if (values.wide) report(`lineage, ${name}, wide`, lineageModel({ ...world, ...wider }));
    else {
      report(`lineage, ${name}`, lineageModel(world));
      for (const mutant of mutants) report(`  ${mutant}`, lineageModel(world, mutant), lineageMutants[mutant]);
    }
  }
};

const adoption = (): void => {
  for (const [name, { world, mutants, wide: wider }] of Object.entries(adoptionWorlds)) {
    if (values.wide) report(`adoption, ${name}, wide`, adoptionModel({ ...world, ...wider }));
    else {
      report(`adoption, ${name}`, adoptionModel(world), undefined, true);
      for (const mutant of mutants)
        report(`  ${mutant}`, adoptionModel(world, mutant), adoptionMutants[mutant], mutant === 'flagRefuses');
    }
  }
};

const log = (): void => {
  for (const [name, { world, mutants, wide: wider }] of Object.entries(logWorlds)) {
    if (values.wide) report(`log, ${name}, wide`, logModel({ ...world, ...wider }));
    else {
      report(`log, ${name}`, logModel(world), undefined, true);
      for (const mutant of mutants) report(`  ${mutant}`, logModel(world, mutant), logMutants[mutant]);
    }
  }
};

const models: Record<string, () => void> = { numbering, lineage, adoption, log };
const unknown = positionals.filter((name) => !models[name]);
if (unknown.length > 0) {
  print(`no model ${unknown.join(', ')}: there are ${Object.keys(models).join(', ')}`);
  process.exitCode = 1;
} else for (const name of positionals.length > 0 ? positionals : Object.keys(models)) models[name]?.();
