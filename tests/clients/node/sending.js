// What every script here sends, and where to: node <script> <base address> <environment> <token> [variant]
'use strict'

const COUNT = 1000
const [base, environment, token, variant] = process.argv.slice(2)

/** The event of this number; `sent.py` in the folder above expects the same. */
function makeEvent (sequence) {
  return {
    sequence,
    ratio: sequence + 0.5,
    even: sequence % 2 === 0,
    http: { status: 200 + sequence % 3, request: { path: `/päth/${sequence}` } },
    tags: ['all', `tag-${sequence % 5}`]
  }
}

function makeText (sequence) {
  return `event ${sequence} says "hello"`
}

/** Lets the process end with a complaint. */
function fail (error) {
  console.error(error)
  process.exitCode = 1
}

const sequences = Array.from({ length: COUNT }, (_, sequence) => sequence)
const headers = { 'X-Service-Env': environment }

module.exports = { base, token, variant, headers, sequences, makeEvent, makeText, fail }
