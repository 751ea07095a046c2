/** Beside a package that is too old for it: an entry must say so. The arguments are the entry, and what its error names. */
'use strict'

/** @param {string} entry */
async function thrownBy(entry) {
  try {
    await import(entry)
  } catch (error) {
    return error
  }
  return undefined
}

async function main() {
  const [entry, named] = process.argv.slice(2)
  const error = await thrownBy(entry)
  const text = `${error?.code} ${error?.message}`
  if (error === undefined || !text.includes(named))
    throw new Error(`${entry} does not name ${named}: ${text}`)
  console.log(`${entry} refuses it: ${text}`)
}

void main()
