// Runs a copy of check_certificate.js on many certificates: base64 lines in, one JSON line each out.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { checkCertificates, Refused } = await import(pathToFileURL(process.argv[2]));
for await (const line of createInterface({ input: process.stdin })) {
  let found;
  try {
    found = checkCertificates(Buffer.from(line, "base64"));
  } catch (error) {
    found = error instanceof Refused ? { refused: error.message } : { crashed: String(error.stack) };
  }
  console.log(JSON.stringify(found));
}
