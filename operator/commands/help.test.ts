import { describe, expect, it } from '@jest/globals';
import { problemOf } from '../aws-account.ts';
import { COMMANDS } from './commands.ts';
import { helpText, unknownCommand } from './help.ts';

describe('the help', () => {
  it('explains each command in a line', () => {
    const help = helpText();
    for (const name of Object.keys(COMMANDS))
      expect([name, help.split('\n').some((line) => `${line} `.startsWith(`  ${name} `))]).toEqual([
        name,
        true,
      ]);
    expect(help).toContain('  key revoke --key K\n      Ends a key\n');
    expect(help).not.toMatch(/\]\(|`/);
  });

  it('contains only the commands that start with the words', () => {
    const commands = helpText(['wallet'])
      .split('\n')
      .filter((line) => /^ {2}\S/.test(line));
    expect(commands).toEqual(['  wallet show --account A']);
  });
});

describe('an unknown command', () => {
  it('causes an error with its name and with similar commands', () => {
    const error = unknownCommand(['wallet', 'shw'], Object.keys(COMMANDS));
    expect(error).toMatch(/^error: unknown command: wallet shw\ndid you mean wallet show\?\n/);
    expect(unknownCommand(['x'], Object.keys(COMMANDS))).not.toContain('did you mean');
  });
});

describe('the problem of a command', () => {
  it.each([
    ['Error', 'Region is missing', 'no AWS region: set AWS_REGION, or a profile that has one'],
    ['CredentialsProviderError', 'x', 'no AWS credentials: sign in with "aws sso login", or set AWS_PROFILE'],
    [
      'Error',
      'getaddrinfo ENOTFOUND sts.mars-1.amazonaws.com',
      'there is no sts.mars-1.amazonaws.com: is AWS_REGION right? If it is, the network is missing',
    ],
    ['ExpiredToken', 'x', 'AWS rejects the credentials (ExpiredToken): sign in again'],
    ['Error', 'there is no account a', 'there is no account a'],
  ])('states what to do about region and credentials: %s, %s', (name, message, problem) => {
    expect(problemOf(Object.assign(new Error(message), { name }))).toBe(problem);
  });
});
