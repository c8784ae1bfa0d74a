import type { z } from 'zod';

/** Zod's own messages. Messages of rules of our own say what to do and stay as they are. */
const ofZod = /^(Invalid|Too) /;

/** Puts zod's message into words: what the value must be. */
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

/** The variables that are set. An empty one counts as absent. */
const setIn = (env: NodeJS.ProcessEnv) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));

/**
 * Lists the problems of an environment, a line per variable: its name, the rule and its purpose, never its value. Empty
 * where `loadConfig` accepts it.
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
 * Reads a service's configuration from its environment. An empty variable counts as absent. Where the environment is
 * wrong, it prints every problem to stderr and exits with code 1.
 */
export const loadConfig = <Schema extends z.ZodObject>(schema: Schema, env: NodeJS.ProcessEnv): z.output<Schema> => {
  const parsed = schema.safeParse(setIn(env));
  if (parsed.success) return parsed.data;
  process.stderr.write(`The configuration is wrong:\n${wrongSettings(schema, env).join('\n')}\n`);
  process.exit(1);
};
