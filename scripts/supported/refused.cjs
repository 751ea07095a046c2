/** On a Node that is too old: every entry, by `require` and by `import`, must say so. The entries are arguments. */
'use strict'

const expected = `Troupe needs Node 22.13 or later, and this is Node ${process.versions.node}.`

/** @param {() => Promise<unknown>} load */
async function thrownBy(load) {
  try {
    await load()
  } catch (error) {
    return error
  }
  return undefined
}

async function main() {
  for (const entry of process.argv.slice(2)) {
    for (const load of [async () => require(entry), () => import(entry)]) {
      const error = await thrownBy(load)
      if (error?.code === 'NODE_TOO_OLD' && error.message === expected) continue
      throw new Error(`${entry} does not say that this Node is too old.`, { cause: error })
    }
  }
  console.log(`Every entry says: ${expected}`)
}

void main()
