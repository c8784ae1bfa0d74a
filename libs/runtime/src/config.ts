import type { z } from 'zod';

/** What a wrong environment breaks: one line a variable, its name and the rule, never its value. */
const configProblems = (error: z.ZodError): string[] =>
  error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`);

/**
 * Reads a service's configuration from its environment. A variable that is set but empty counts as absent. Where the
 * environment is wrong, prints every problem at once to stderr and exits with code 1.
 */
export const loadConfig = <Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  process.stderr.write(`The configuration is wrong:\n${configProblems(parsed.error).join('\n')}\n`);
  process.exit(1);
};
