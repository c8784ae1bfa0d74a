/** The environment that programs get which run beside us: the engine's address is in it. */
export const hostEnvironment = (): NodeJS.ProcessEnv => process.env;

/** A compose file with what `docker compose build` needs here beside the project's, such as a secret `ca`. */
export const buildOverride = (): string | undefined => process.env.DEPLOY_BUILD_OVERRIDE;
