import type { z } from 'zod';

/** What zod itself says of a value that will not do, without the way out that rules of our own name. */
const ofZod = /^(Invalid|Too) /;

/** The same as a message: what the value must be. */
const inWords = (issue: z.core.$ZodIssue): string => {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${{ number: 'a number', int: 'a whole number', string: 'text' }[issue.expected as string] ?? issue.expected}`;
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_format':
      return issue.format === 'url' ? 'must be a URL' : issue.message;
    default:
      return issue.message;
  }
};

/** What is set; a variable that is set but empty counts as absent. */
const setIn = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

/**
 * A line for each variable with which `loadConfig` would not do: its name, the rule and what it is for, never its value.
 * None where it would.
 */
export const wrongSettings = (schema: z.ZodObject, env: NodeJS.ProcessEnv): string[] => {
  const present = setIn(env);
  const issues = schema.safeParse(present).error?.issues ?? [];
  return issues.map((issue) => {
    const name = issue.path.join('.');
    if (!ofZod.test(issue.message)) return `${name || 'environment'}: ${issue.message}`;
    const { description = '' } = (schema.shape[name] ?? {}) as { description?: string };
    const isMissing = issue.code === 'invalid_type' && !(name in present);
    const purpose = description && ` (${description.replace(/\.$/, '')})`;
    return `${name || 'environment'}: ${isMissing ? 'is missing' : inWords(issue)}${purpose}`;
  });
};

/**
 * Reads a service's configuration from its environment. A variable that is set but empty counts as absent. Where the
 * environment is wrong, prints every problem at once to stderr and exits with code 1.
 */
export const loadConfig = <Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const parsed = schema.safeParse(setIn(env));
  if (parsed.success) return parsed.data;
  process.stderr.write(`The configuration is wrong:\n${wrongSettings(schema, env).join('\n')}\n`);
  process.exit(1);
};
