import { describe, expect, it } from '@jest/globals';
import { type ReferenceScope, resolveIntrinsics } from './intrinsics.ts';

const scope: ReferenceScope = {
  ref: (name) => `ref-${name}`,
  attribute: (logicalId, name) => `${logicalId}/${name}`,
  importValue: (name) => `imported-${name}`,
};

const cases: readonly [string, unknown, unknown][] = [
  ['references', { Ref: 'Table' }, 'ref-Table'],
  ['pseudo parameters', { Ref: 'AWS::Region' }, 'us-east-1'],
  ['attributes', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'Table/Arn'],
  ['attributes written as text', { 'Fn::GetAtt': 'Table.Stream.Arn' }, 'Table/Stream.Arn'],
  ['joins of intrinsics', { 'Fn::Join': [':', ['a', { Ref: 'B' }]] }, 'a:ref-B'],
  ['substitutions', { 'Fn::Sub': '${AWS::AccountId}/${A}/${B.Arn}/${!C}' }, '000000000000/ref-A/B/Arn/${C}'],
  ['substitutions with variables', { 'Fn::Sub': ['${x}-${A}', { x: { Ref: 'X' } }] }, 'ref-X-ref-A'],
  ['imports', { 'Fn::ImportValue': { 'Fn::Sub': '${A}:out' } }, 'imported-ref-A:out'],
  ['selections of splits', { 'Fn::Select': [1, { 'Fn::Split': [':', 'a:b:c'] }] }, 'b'],
  ['values inside objects and lists', { a: [{ Ref: 'A' }], b: 1 }, { a: ['ref-A'], b: 1 }],
];

describe('the assembly', () => {
  it.each(cases)('resolves %s', (_, template, expected) => {
    expect(resolveIntrinsics(template, scope)).toEqual(expected);
  });

  it('cause an error that names an unknown function', () => {
    expect(() => resolveIntrinsics({ a: { 'Fn::Cidr': [] } }, scope)).toThrow('Fn::Cidr');
  });
});
