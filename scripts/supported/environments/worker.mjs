/** A worker: the platform runs `test` in it. Nothing of Node is there. */
import { answer, expected } from '../answer.mjs'

export default {
  async test() {
    for (const turn of ['first', 'second']) {
      const answered = await answer()
      if (answered !== expected) throw new Error(`The ${turn} turn answered: ${answered}`)
    }
    console.log('The worker works.')
  },
}
