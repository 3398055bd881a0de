/** Names that two stacks share, so that neither has to import them from the other. */

/** Returns the name of the cluster and of the service that take uploads on Fargate. */
export const uploadServiceName = (stage: string): string => `${stage}-uploads`;

/** Returns the name of the cluster and of the service that serve the inference API on Fargate. */
export const hostServiceName = (stage: string): string => `${stage}-inference`;
