/** Reads what `npm audit --json` printed (npm documentation, npm audit, report version 2). */

export interface Vulnerability {
  readonly name: string;
  readonly severity: string;
  /** The folders of the packages that have it, as in the lock file. */
  readonly paths: readonly string[];
  /** Titles and addresses of the advisories; empty where another package brings the vulnerability. */
  readonly advisories: readonly string[];
}

/** Either what the database knows of, or why it was not asked. */
export type AuditOutcome =
  | { readonly vulnerabilities: readonly Vulnerability[] }
  | { readonly unreachable: string };

interface PrintedAdvisory {
  readonly auditReportVersion?: number;
  readonly vulnerabilities?: Readonly<Record<string, PrintedVulnerability>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

interface PrintedVulnerability {
  readonly severity: string;
  readonly nodes: readonly string[];
  readonly via: readonly (string | { readonly title: string; readonly url: string })[];
}

/** Whatever is no report says that nobody was asked: it must not be taken for a clean one. */
export function readAudit(printed: string): AuditOutcome {
  let output: PrintedAdvisory;
  try {
    output = JSON.parse(printed) as PrintedAdvisory;
  } catch {
    return { unreachable: 'npm audit printed no JSON' };
  }
  if (output.auditReportVersion !== 2 || output.vulnerabilities === undefined)
    return {
      unreachable: output.message ?? output.error?.summary ?? 'npm audit printed no report of version 2',
    };
  const vulnerabilities = Object.entries(output.vulnerabilities).map(([name, { severity, nodes, via }]) => ({
    name,
    severity,
    paths: nodes,
    advisories: via.flatMap((cause) => (typeof cause === 'string' ? [] : [`${cause.title} ${cause.url}`])),
  }));
  return { vulnerabilities };
}

/** Those that a deployment has; the others are in tools that run where the code is built. */
export const deployedOnes = (
  vulnerabilities: readonly Vulnerability[],
  deployed: ReadonlySet<string>,
): readonly Vulnerability[] =>
  vulnerabilities.filter(({ paths }) => paths.some((path) => deployed.has(path)));
