import { describe, expect, it } from '@jest/globals';
import { deployedOnes, readAudit } from './advisories.ts';

/** Reports in the form of npm 11; the second is a registry's response. */
const REPORT = JSON.stringify({
  auditReportVersion: 2,
  vulnerabilities: {
    minimist: {
      name: 'minimist',
      severity: 'critical',
      range: '<0.2.4',
      nodes: ['node_modules/minimist'],
      via: [{ title: 'Prototype Pollution', url: 'https://github.com/advisories/GHSA-xvch-5gv4-984h' }],
    },
    mkdirp: { severity: 'critical', via: ['minimist'], nodes: ['node_modules/a/node_modules/mkdirp'] },
  },
});
const REJECTION = JSON.stringify({
  message: '405 Method Not Allowed - POST https://registry.example.com/-/npm/v1/security/advisories/bulk',
  method: 'POST',
  statusCode: 405,
  body: '',
  error: { summary: '', detail: '' },
});

describe('the output of npm audit', () => {
  it('contains each vulnerability with its advisories', () => {
    expect(readAudit(REPORT)).toEqual({
      vulnerabilities: [
        {
          name: 'minimist',
          severity: 'critical',
          paths: ['node_modules/minimist'],
          advisories: ['Prototype Pollution https://github.com/advisories/GHSA-xvch-5gv4-984h'],
        },
        {
          name: 'mkdirp',
          severity: 'critical',
          paths: ['node_modules/a/node_modules/mkdirp'],
          advisories: [],
        },
      ],
    });
    expect(readAudit('{"auditReportVersion":2,"vulnerabilities":{}}')).toEqual({ vulnerabilities: [] });
  });

  it.each([
    [REJECTION, '405 Method Not Allowed'],
    ['', 'no JSON'],
    ['{"error":{"summary":"connect ECONNREFUSED"}}', 'ECONNREFUSED'],
    ['{}', 'no report'],
    ['{"auditReportVersion":3,"vulnerabilities":{}}', 'no report'],
  ])('never counts as a clean report if it is not a report: %s', (printed, reason) => {
    expect(readAudit(printed)).toEqual({ unreachable: expect.stringContaining(reason) });
  });

  it('counts a vulnerability against a deployment if the folder of the package is deployed', () => {
    const outcome = readAudit(REPORT);
    const vulnerabilities = 'vulnerabilities' in outcome ? outcome.vulnerabilities : [];
    expect(deployedOnes(vulnerabilities, new Set(['node_modules/minimist'])).map(({ name }) => name)).toEqual(
      ['minimist'],
    );
    expect(deployedOnes(vulnerabilities, new Set(['node_modules/mkdirp']))).toEqual([]);
  });
});
