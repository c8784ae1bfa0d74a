/** The environment that programs get which run beside us: the engine's address is in it. */
export const hostEnvironment = (): NodeJS.ProcessEnv => process.env;

/** What `docker build` needs here beyond the Dockerfile, such as `--secret id=ca,src=ca.pem --network host`. */
export const buildArguments = (): string[] => (process.env.DOCKER_BUILD_ARGUMENTS ?? '').split(' ').filter(Boolean);
