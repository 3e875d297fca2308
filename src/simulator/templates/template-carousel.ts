import { asObjects, type JsonObject } from '../graph/json-object.ts';
import { plainTemplateError } from './template-errors.ts';

/** Checks a carousel: 2 to 10 cards with the same parts, each with a header and buttons. `checkParts` checks the parts of a card. */
export function checkCarousel(carousel: JsonObject, checkParts: (components: JsonObject[]) => void): void {
  const cards = asObjects(carousel.cards);
  if (cards.length < 2 || cards.length > 10) throw carouselError('A carousel has 2 to 10 cards.');
  const shapes = cards.map((card) => shapeOf(asObjects(card.components)));
  if (new Set(shapes).size > 1) throw carouselError('All cards must have the same components, in the same order.');
  for (const card of cards) {
    checkCard(asObjects(card.components));
    checkParts(asObjects(card.components));
  }
}

function checkCard(components: JsonObject[]): void {
  const header = components.find((component) => component.type === 'HEADER');
  const buttons = components.find((component) => component.type === 'BUTTONS');
  if (!['IMAGE', 'VIDEO', 'PRODUCT'].includes(String(header?.format))) {
    throw carouselError('Every card needs an image, video or product header.');
  }
  const count = asObjects(buttons?.buttons).length;
  if (count < 1 || count > 2) throw carouselError('Every card needs one or two buttons.');
}

function shapeOf(components: JsonObject[]): string {
  return JSON.stringify(
    components.map((component) => [
      component.type,
      component.format,
      asObjects(component.buttons).map((button) => button.type),
    ]),
  );
}

function carouselError(explanation: string) {
  return plainTemplateError('Invalid carousel', explanation);
}
