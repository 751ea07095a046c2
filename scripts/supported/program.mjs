/**
 * The program that every supported runtime runs: a run in memory, and in each kind of SQLite store. It is JavaScript, since not
 * every runtime strips types.
 */
import { sqliteStore } from 'troupe/sqlite'
import { answer, expected } from './answer.mjs'

const stores = process.argv.includes('--without-threads') ? [false] : [false, true]

async function main() {
  const answers = [await answer()]
  for (const worker of stores) {
    const store = sqliteStore(`runs-${worker}.db`, { worker })
    answers.push(await answer(store))
    await store.close()
  }
  const wrong = answers.find((answered) => answered !== expected)
  if (wrong !== undefined) throw new Error(`It answered:\n${wrong}`)
  console.log('The program works.')
}

void main()
