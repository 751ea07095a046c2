/** The endings of a reflexion agent: its model criticises each of its steps, up to a number of times. */
import type { Outcome } from 'troupe/testing'
import { loopTable } from './loop.ts'
import { Story } from '../story/story.ts'
import { referenceOf } from '../table.ts'

class ReflexionStory extends Story {
  override get readsSayings(): boolean {
    return true
  }

  #critiques = 0

  override get isReviewed(): boolean {
    const isCriticised = this.said('decision') || this.#critiques >= this.profile.caps.maxCritiques
    return this.isStepDone && !this.isHandingOff && isCriticised
  }

  override get isObjectedTo(): boolean {
    return this.said('decision', 'objects')
  }

  protected override takeOutcome(child: string, outcome: Outcome): void {
    super.takeOutcome(child, outcome)
    // A critique that the model could not give is not counted.
    if (this.gets('decision', 'is satisfied', 'objects')) this.#critiques += 1
  }
}

/** As an agent that thinks and acts: an objection of the critique counts as that of a reviewer. */
export const reflexionReference = referenceOf(loopTable, (input) => new ReflexionStory(input))
