import type { z } from 'zod';

/** What zod itself says of a value that will not do, without the way out that rules of our own name. */
const ofZod = /^(Invalid|Too) /;

/** What a wrong environment breaks: one line a variable, its name, the rule and what it is for, never its value. */
const configProblems = (schema: z.ZodObject, present: Record<string, unknown>, { issues }: z.ZodError): string[] =>
  issues.map(({ path, code, message }) => {
    const name = path.join('.');
    if (!ofZod.test(message)) return `${name || 'environment'}: ${message}`;
    const { description = '' } = (schema.shape[name] ?? {}) as { description?: string };
    const isMissing = code === 'invalid_type' && !(name in present);
    const purpose = description && ` (${description.replace(/\.$/, '')})`;
    return `${name || 'environment'}: ${isMissing ? 'is missing' : message}${purpose}`;
  });

/**
 * Reads a service's configuration from its environment. A variable that is set but empty counts as absent. Where the
 * environment is wrong, prints every problem at once to stderr and exits with code 1.
 */
export const loadConfig = <Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  process.stderr.write(`The configuration is wrong:\n${configProblems(schema, present, parsed.error).join('\n')}\n`);
  process.exit(1);
};
