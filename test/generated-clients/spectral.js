import { oas } from '@stoplight/spectral-rulesets';

const RULE = 'oas3-valid-schema-example';
const { [RULE]: rule } = oas.rules;

/**
 * Spectral's recommended rules. An object with `type` and `example` passes for a schema, even inside an example: a template's component has
 * both. Types of components are capitals, so a schema is an object whose `type` is not. Scopes of a bearer token are allowed since OpenAPI
 * 3.1, as names of roles; the rule knows 3.0 only. `test/api/access/matrix.test.ts` checks them.
 */
export default {
  extends: [[oas, 'recommended']],
  rules: {
    'oas3-operation-security-defined': 'off',
    [RULE]: { ...rule, given: rule.given.map((path) => path.replace('&& @ &&', '&& @ && !/^[A-Z]/.test(@.type) &&')) },
  },
};
