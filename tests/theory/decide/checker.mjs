// Runs a copy of check_certificate.js or check_comparison.js on many certificates: base64 lines in, one JSON line each out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { checkCertificates, checkComparison } = await import(pathToFileURL(process.argv[2]));
const { Refused } = await import(new URL("./check_certificate.js", pathToFileURL(process.argv[2])));
const check = checkComparison ?? checkCertificates;
for await (const line of createInterface({ input: process.stdin })) {
  let found;
  try {
    found = check(Buffer.from(line, "base64"));
  } catch (error) {
    found = error instanceof Refused ? { refused: error.message } : { crashed: String(error.stack) };
  }
  console.log(JSON.stringify(found));
}
