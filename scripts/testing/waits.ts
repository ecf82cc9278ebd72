// Says who it is, and does nothing until it is ended.
console.log(process.pid);
setInterval(() => undefined, 60_000);
