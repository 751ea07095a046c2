/** Loads every entry of the package by `require` and by `import`, and compares them. The entries are arguments. */
'use strict'

async function main() {
  const entries = process.argv.slice(2)
  for (const entry of entries) {
    const required = require(entry)
    const imported = await import(entry)
    const names = Object.keys(imported).filter((name) => name !== 'module.exports')
    if (names.length === 0) throw new Error(`${entry} exports nothing.`)
    const other = names.find((name) => required[name] !== imported[name])
    if (other !== undefined) throw new Error(`${entry}: "${other}" is not the same by require and by import.`)
  }
  console.log(`All ${entries.length} entries load, by require and by import.`)
}

void main()
