import { oas } from '@stoplight/spectral-rulesets';

const RULE = 'oas3-valid-schema-example';
const { [RULE]: rule } = oas.rules;

/**
 * Spectral's recommended rules. An object with `type` and `example` passes for a schema, even inside an example: a template's component has
 * both. Types of components are capitals, so a schema is an object whose `type` is not.
 */
export default {
  extends: [[oas, 'recommended']],
  rules: {
    [RULE]: { ...rule, given: rule.given.map((path) => path.replace('&& @ &&', '&& @ && !/^[A-Z]/.test(@.type) &&')) },
  },
};
